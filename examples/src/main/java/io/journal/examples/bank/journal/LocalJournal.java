// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.journal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.function.LongConsumer;

import io.journal.ForcePolicy;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalBuilder;
import io.journal.JournalCounters;
import io.journal.JournalCursor;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Snapshots;
import org.agrona.CloseHelper;

/**
 * The journal in a directory of this machine.
 */
public final class LocalJournal implements BankJournal
{
    private static final int SEGMENT_LENGTH = 1 << 20;

    private final Journal journal;

    /** Takes ownership of a journal that was opened with {@link #settings}; closes it if its first fsync fails. */
    public LocalJournal(final Journal journal)
    {
        this.journal = journal;
        try
        {
            // Make all recovered events durable first, because decisions will depend on them.
            journal.force();
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(journal);
            throw ex;
        }
    }

    /**
     * {@return the bank's settings for a journal} The next fsync begins as soon as the last has ended, so commands that
     * arrive during one fsync share the next.
     */
    public static JournalBuilder settings(final Path directory)
    {
        return Journal.builder(directory).segmentLength(SEGMENT_LENGTH).force(ForcePolicy.every(Duration.ZERO));
    }

    @Override
    public JournalAppender appender()
    {
        return journal.appender();
    }

    @Override
    public void force()
    {
        journal.force();
    }

    @Override
    public void onForced(final LongConsumer listener)
    {
        journal.onForced(listener);
    }

    @Override
    public long forcedSequence()
    {
        return journal.forcedSequence();
    }

    @Override
    public boolean get(final long sequence, final RecordHandler handler)
    {
        return journal.get(sequence, handler);
    }

    @Override
    public JournalReader openReader(final long sequence)
    {
        return BankJournal.seek(journal.openReader(JournalReader.Limit.FORCED), sequence);
    }

    @Override
    public JournalReader moveOn(final JournalReader reader)
    {
        return reader;
    }

    @Override
    public void consumed(final String consumer, final long sequence)
    {
        final JournalCursor cursor = journal.cursor(consumer);
        // Never move the cursor back: a model that is being rebuilt shares the cursor of the model in use, and is
        // behind it.
        if (sequence > cursor.sequence())
        {
            cursor.save(sequence);
        }
    }

    @Override
    public Snapshots snapshots()
    {
        return journal.snapshots();
    }

    @Override
    public JournalStatus status()
    {
        final JournalCounters counters = journal.counters();
        return new JournalStatus(
            counters.isFailed(), journal.firstSequence(), counters.forcedSequence(), counters.forces(),
            counters.forceTimeNs(),
            counters.maxForceTimeNs(), counters.segments() * SEGMENT_LENGTH, null);
    }

    @Override
    public void close()
    {
        journal.close();
    }
}
