// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import io.journal.examples.bank.codec.EventCodec.StoredEvent;

/**
 * A model for queries that is built by applying the events in order. The thread of a {@link ReadModelRunner} applies
 * events; queries come from any thread.
 */
public interface ReadModel extends AutoCloseable
{
    /** {@return the last event in this model} The next event to apply is the one after it. */
    long sequence();

    /** Applies the next event. */
    void apply(long sequence, StoredEvent stored);

    /** Ends a batch of events. A stored model makes the batch durable. */
    default void commit()
    {
    }

    /** Releases files, if there are any. */
    @Override
    default void close()
    {
    }
}
