package io.journal.examples.bank.read;

import io.journal.examples.bank.codec.StoredEvent;

/**
 * What can be built from the events, one after the other. Events are applied by one thread, {@link ReadModelRunner}'s;
 * queries come from any.
 */
public interface ReadModel extends AutoCloseable
{
    /** {@return the last event in it; the next one to apply follows it} */
    long sequence();

    /** Applies the next event. */
    void apply(long sequence, StoredEvent stored);

    /** Ends a batch of events: from now on they are kept as well as this model keeps anything. */
    void commit();

    /** Releases files. */
    @Override
    void close();
}
