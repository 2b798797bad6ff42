// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.nio.file.Path;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.streams.EventStreams;
import org.jspecify.annotations.Nullable;

/** Reads events that another process may be appending. */
public final class Follower extends IndexedReader
{
    // Of events whose index files the writer has not written yet.
    private static final int TAILS = 8;

    private final ReadOnlyJournal journal;
    private final EventRecord event = new EventRecord();
    private volatile boolean isTailFull;
    // Null if it is to be opened again.
    private @Nullable JournalReader reader;
    private boolean isClosed;

    public Follower(final Path path)
    {
        this(Journal.openReadOnly(path));
    }

    private Follower(final ReadOnlyJournal journal)
    {
        this(journal, Log.of(journal));
    }

    private Follower(final ReadOnlyJournal journal, final Log log)
    {
        super(log, new Index(log, journal.path(), EventStreams.Options.DEFAULT.tailEvents(), TAILS, true, null), true);
        this.journal = journal;
        index.onWork(() -> isTailFull = true);
        try
        {
            head();
        }
        catch (final RuntimeException ex)
        {
            journal.close();
            throw ex;
        }
    }

    /** Indexes what was appended since the last call. */
    @Override
    synchronized long head()
    {
        if (isClosed)
        {
            throw new IllegalStateException("the reader is closed");
        }
        JournalReader current = reader;
        while (true)
        {
            // The writer may have written files meanwhile of what is not indexed yet.
            if (null == current || JournalReader.State.FOLLOWING != current.state() || isTailFull ||
                log.lastSequence().getAsLong() - index.last() > EventStreams.Options.DEFAULT.tailEvents())
            {
                current = reopen();
            }
            try
            {
                current.poll((buffer, offset, length, header) -> index.add(
                    event.wrap(buffer, offset, length, header).keys()), Integer.MAX_VALUE);
                return index.last();
            }
            catch (final JournalException ex)
            {
                // Otherwise it was pruned or truncated meanwhile.
                if (JournalReader.State.FOLLOWING == current.state())
                {
                    throw ex;
                }
            }
        }
    }

    private JournalReader reopen()
    {
        isTailFull = false;
        final JournalReader previous = reader;
        // If this fails, the index is incomplete.
        reader = null;
        try
        {
            final JournalReader opened = log.repeatIfPruned(() ->
            {
                final long last = log.lastSequence().getAsLong();
                // Opened first: at the next poll it shows a truncation of what is loaded.
                final JournalReader next = log.openReader(last + 1);
                try
                {
                    index.load(last);
                    if (index.last() > last)
                    {
                        throw new JournalException("index files were written meanwhile");
                    }
                    return next;
                }
                catch (final RuntimeException ex)
                {
                    next.close();
                    throw ex;
                }
            });
            reader = opened;
            return opened;
        }
        finally
        {
            if (null != previous)
            {
                if (JournalReader.State.TRUNCATED == previous.state())
                {
                    // After which event is not known.
                    truncations.add(0);
                }
                previous.close();
            }
        }
    }

    @Override
    public synchronized void close()
    {
        isClosed = true;
        if (null != reader)
        {
            reader.close();
        }
        journal.close();
    }
}
