// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.journal;

import java.util.function.LongConsumer;

import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Snapshots;

/**
 * The bank's view of its journal, wherever that is kept. A <i>durable</i> event survives a power loss: it was fsynced
 * here, or committed by a majority of a cluster that has fsynced it. Thread-safe.
 */
public interface BankJournal extends AutoCloseable
{
    /** {@return the appender, for one thread} */
    JournalAppender appender();

    /** Waits until everything that was appended is durable. */
    void force();

    /** Registers the one durability listener: called with the sequence up to which events are durable. */
    void onForced(LongConsumer listener);

    /** {@return the sequence of the newest durable event; all events that a start has found are durable} */
    long forcedSequence();

    /** Passes one event to a handler; {@return whether there is such an event} */
    boolean get(long sequence, RecordHandler handler);

    /** {@return a reader of durable events, from a sequence on, for one thread; the caller must close it} */
    JournalReader openReader(long sequence);

    /**
     * Called with a reader that has waited and found nothing. {@return the same reader; or, if that reader will find
     * nothing soon, another reader at the same place, and the given reader is closed}
     */
    JournalReader moveOn(JournalReader reader);

    /** Notes that a consumer has processed the events up to a sequence; from the first call on it holds back prune. */
    void consumed(String consumer, long sequence);

    /** {@return the snapshots; null on a cluster, where a start replays the history} */
    Snapshots snapshots();

    /** {@return the figures of this moment} */
    JournalStatus status();

    /** Closes the journal. Idempotent. */
    @Override
    void close();

    /** {@return a reader that was moved to a sequence; closed if that is not possible} */
    static JournalReader seek(final JournalReader reader, final long sequence)
    {
        try
        {
            reader.seek(sequence);
            return reader;
        }
        catch (final Throwable ex)
        {
            reader.close();
            throw ex;
        }
    }
}
