package io.journal.examples.bank.journal;

import java.util.function.LongConsumer;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalCounters;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.Snapshots;
import org.agrona.CloseHelper;

/**
 * The journal in a directory of this machine.
 */
public final class LocalJournal implements BankJournal
{
    private final Journal journal;

    /**
     * Takes over a journal.
     *
     * @param journal opened with {@code ForcePolicy.every(Duration.ZERO)}; closed if it cannot be forced.
     */
    public LocalJournal(final Journal journal)
    {
        this.journal = journal;
        try
        {
            // Everything in it will be in the state, so decisions will depend on it.
            journal.force();
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(journal);
            throw ex;
        }
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
    public long firstSequence()
    {
        return journal.firstSequence();
    }

    @Override
    public boolean get(final long sequence, final RecordHandler handler)
    {
        return journal.get(sequence, handler);
    }

    @Override
    public JournalReader openReader(final long sequence)
    {
        final JournalReader reader = journal.openReader(JournalReader.Limit.FORCED);
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

    @Override
    public JournalReader moveOn(final JournalReader reader)
    {
        return reader;
    }

    @Override
    public long cursor(final String consumer)
    {
        return journal.cursor(consumer).sequence();
    }

    @Override
    public void saveCursor(final String consumer, final long sequence)
    {
        journal.cursor(consumer).save(sequence);
    }

    @Override
    public long loadSnapshot(final Snapshots.Reader reader)
    {
        return journal.snapshots().load(reader);
    }

    @Override
    public void saveSnapshot(final long sequence, final Snapshots.Writer writer)
    {
        journal.snapshots().save(sequence, writer);
    }

    @Override
    public long prune()
    {
        return journal.snapshots().prune();
    }

    @Override
    public JournalStatus status()
    {
        final JournalCounters counters = journal.counters();
        return new JournalStatus(
            journal.firstSequence(), counters.appendedSequence(), counters.writtenSequence(),
            counters.forcedSequence(), counters.forces(), counters.forceTimeNs(), counters.maxForceTimeNs(),
            counters.segments());
    }

    @Override
    public ClusterStatus cluster()
    {
        return null;
    }

    @Override
    public boolean isFailed()
    {
        return journal.counters().isFailed();
    }

    @Override
    public void close()
    {
        journal.close();
    }
}
