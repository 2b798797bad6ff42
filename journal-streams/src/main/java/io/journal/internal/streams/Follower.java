// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.nio.file.Path;

import io.journal.Journal;
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
    private volatile boolean isTailFull;
    private final EventRecord event = new EventRecord();
    // Null if it is to be opened again.
    private @Nullable JournalReader reader;
    private boolean isClosed;

    public Follower(final Path path)
    {
        this(Journal.openReadOnly(path), path);
    }

    private Follower(final ReadOnlyJournal journal, final Path path)
    {
        this(journal, Log.of(journal), path);
    }

    private Follower(final ReadOnlyJournal journal, final Log log, final Path path)
    {
        super(log, new Index(log, path, EventStreams.Options.DEFAULT.tailEvents(), true, null), true);
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

    private JournalReader load()
    {
        index.load(TAILS);
        isTailFull = false;
        return log.openReader(index.tail().last() + 1);
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
        if (null == current || JournalReader.State.FOLLOWING != current.state() || isTailFull)
        {
            reader = null;
            if (null != current)
            {
                current.close();
            }
            current = load();
            reader = current;
        }
        current.poll((buffer, offset, length, header) -> index.add(
            event.wrap(buffer, offset, length, header.sequence(), header.tag()).keys()), Integer.MAX_VALUE);

        return index.tail().last();
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
