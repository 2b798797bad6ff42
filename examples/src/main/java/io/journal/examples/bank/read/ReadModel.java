// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.read;

import io.journal.examples.bank.codec.EventCodec.StoredEvent;

/**
 * A model that is built from the events, one after the other. The thread of a {@link ReadModelRunner} applies events;
 * queries come from any thread.
 */
public interface ReadModel extends AutoCloseable
{
    /** {@return the last event in it; the next one to apply follows it} */
    long sequence();

    /** Applies the next event. */
    void apply(long sequence, StoredEvent stored);

    /** Ends a batch of events: from now on they are kept, if this model keeps anything. */
    default void commit()
    {
    }

    /** Releases files, if there are any. */
    @Override
    default void close()
    {
    }
}
