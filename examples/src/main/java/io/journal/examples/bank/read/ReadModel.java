package io.journal.examples.bank.read;

import io.journal.examples.bank.codec.StoredEvent;

/**
 * Something that is built from events, in their order. One thread applies them; queries may come from others.
 */
public interface ReadModel extends AutoCloseable
{
    /** {@return the last event in the model, as its queries see it; the next one to apply follows it} */
    long sequence();

    /**
     * Applies the next event.
     *
     * @param sequence of the event.
     * @param stored   the event.
     */
    void apply(long sequence, StoredEvent stored);

    /** Ends a batch of events: from now on they are kept as well as this model keeps anything. */
    void commit();

    /**
     * Stops the model. Queries get an exception from now on, instead of ever staler answers.
     *
     * @param cause of the failure, or null if the bank is being closed.
     */
    void stop(Throwable cause);

    /** Releases files. */
    @Override
    void close();
}
