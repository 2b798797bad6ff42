// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.journal;

import java.util.function.LongConsumer;

import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Snapshots;

/**
 * The bank's view of its journal, which is kept on this machine or by a cluster. A <i>durable</i> event survives a
 * power loss: it was fsynced on this machine, or by a majority of the members of the cluster. Thread-safe.
 */
public interface BankJournal extends AutoCloseable
{
    /** {@return the appender, for one thread} */
    JournalAppender appender();

    /** Waits until everything that was appended is durable. */
    void force();

    /** Registers the only durability listener. It is called with the sequence up to which events are durable. */
    void onForced(LongConsumer listener);

    /** {@return the sequence of the newest durable event} All events that were found at the start are durable. */
    long forcedSequence();

    /** Passes one event to a handler; {@return whether there is such an event} */
    boolean get(long sequence, RecordHandler handler);

    /** {@return a reader of durable events, from a sequence on, for one thread; the caller must close it} */
    JournalReader openReader(long sequence);

    /**
     * Called with a reader that has waited and found nothing. {@return the same reader, or a reader of another member
     * at the same sequence if that member already has the next event; the given reader is then closed}
     */
    JournalReader moveOn(JournalReader reader);

    /**
     * Saves that a consumer has processed the events up to a sequence. From the first call on, events after it are not
     * pruned.
     */
    void consumed(String consumer, long sequence);

    /** {@return the snapshots; null on a cluster, where a start replays the history} */
    Snapshots snapshots();

    /** {@return the current figures} */
    JournalStatus status();

    /** Closes the journal. Idempotent. */
    @Override
    void close();

    /** {@return the reader, moved to a sequence} Closes the reader and throws if that is not possible. */
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
