// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import org.agrona.ErrorHandler;

/**
 * Writes index files, in a thread of its own: from tails that are full, from the journal where there is a gap, and from
 * files that are merged. Work that fails is reported and tried again later; until then the source stays as it is.
 */
final class IndexBuilder implements Runnable
{
    private static final int MERGED = 4;
    // Of a file that is made from the journal: with the sorting, 24 bytes of heap each.
    private static final int MAX_ENTRIES = 1024 * 1024;
    private static final int MAX_EVENTS = 256 * 1024;
    private static final long RETRY_MS = 1_000;

    /** Writes a file. */
    interface Work
    {
        void run() throws IOException;
    }

    private final Index index;
    private final Journal journal;
    private final ErrorHandler errorHandler;
    private final Thread thread;
    private boolean hasWork;
    private boolean isClosed;

    IndexBuilder(final Index index, final Journal journal, final ErrorHandler errorHandler)
    {
        this.index = index;
        this.journal = journal;
        this.errorHandler = errorHandler;
        thread = new Thread(this, "journal-streams-index");
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    synchronized void wake()
    {
        hasWork = true;
        notifyAll();
    }

    /** Ends the thread after the file that it is writing. */
    void close()
    {
        synchronized (this)
        {
            isClosed = true;
            notifyAll();
        }
        boolean isInterrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    private synchronized boolean isClosed()
    {
        return isClosed;
    }

    @Override
    public void run()
    {
        boolean hasFailed = false;
        while (await(hasFailed))
        {
            hasFailed = !work();
        }
    }

    private synchronized boolean await(final boolean hasFailed)
    {
        try
        {
            if (hasFailed && !isClosed)
            {
                wait(RETRY_MS);
            }
            while (!hasWork && !hasFailed && !isClosed)
            {
                wait();
            }
        }
        catch (final InterruptedException ex)
        {
            // Nobody has a reason to interrupt this thread.
            return false;
        }
        hasWork = false;

        return !isClosed;
    }

    /** Does what there is to do, in the calling thread; returns false if it failed. */
    boolean work()
    {
        return attempt(() ->
        {
            index.dropPruned();
            while (!isClosed() && step())
            {
                // One file after the other.
            }
        });
    }

    /** Writes what the journal has and no file. */
    void closeGaps()
    {
        attempt(() ->
        {
            List<Source> gap = index.find(1, (sources) -> sources.get(0) instanceof Gap);
            while (null != gap)
            {
                write((Gap)gap.get(0));
                gap = index.find(1, (sources) -> sources.get(0) instanceof Gap);
            }
        });
    }

    private boolean step() throws IOException
    {
        final List<Source> missing = index.find(1, (sources) -> !(sources.get(0) instanceof IndexFile));
        if (null != missing)
        {
            if (missing.get(0) instanceof Tail)
            {
                write((Tail)missing.get(0));
            }
            else
            {
                write((Gap)missing.get(0));
            }

            return true;
        }
        final List<Source> small = index.find(MERGED, IndexBuilder::isWorthMerging);
        if (null != small)
        {
            merge(small.stream().map(IndexFile.class::cast).toList());
        }

        return null != small;
    }

    /** Reports what fails; returns false then. */
    boolean attempt(final Work work)
    {
        try
        {
            work.run();
            return true;
        }
        catch (final IndexDamagedException ex)
        {
            // Reported and replaced by a gap.
            return false;
        }
        catch (final IOException | RuntimeException | OutOfMemoryError ex)
        {
            errorHandler.onError(
                new JournalException("cannot write an index file, which is tried again; cause=" + ex, ex));
            return false;
        }
    }

    /** A full tail. */
    void write(final Tail tail) throws IOException
    {
        // Never a file of events that may get lost.
        if (journal.forcedSequence() < tail.last())
        {
            journal.force();
        }
        final Path file = index.directory.unfinished(tail.first(), tail.last());
        write(file, index.before(tail), tail.end(), tail.entries());
        index.publish(List.of(tail), file, tail.last(), null);
    }

    private static void write(
        final Path file, final Checkpoint before, final Checkpoint end, final Entries entries) throws IOException
    {
        try
        {
            IndexWriter.write(file, before, end, entries);
        }
        catch (final IOException ex)
        {
            Files.deleteIfExists(file);
            throw ex;
        }
    }

    /** A gap, from the journal, one file after the other. */
    private void write(final Gap gap) throws IOException
    {
        Gap rest = gap;
        final Entries entries = new Entries(0);
        final EventRecord event = new EventRecord();
        try (JournalReader reader = index.log.openReader(JournalReader.Limit.WRITTEN))
        {
            reader.seek(rest.first());
            Checkpoint before = checkpoint(reader);
            while (null != rest && !isClosed())
            {
                final Gap current = rest;
                final long last = Math.min(current.last(), current.first() + MAX_EVENTS - 1);
                entries.clear();
                reader.controlledPoll((buffer, offset, length, header) ->
                {
                    final long position = header.sequence();
                    for (final long key : event.wrap(buffer, offset, length, position, header.tag()).keys())
                    {
                        entries.add(key, (int)(position - current.first()));
                    }
                    return entries.count() >= MAX_ENTRIES ? RecordHandler.Action.BREAK : RecordHandler.Action.CONTINUE;
                }, (int)(last - current.first() + 1));
                final long read = reader.nextSequence() - 1;
                if (read < current.first())
                {
                    throw new JournalException("cannot read the events to index: position=" + current.first());
                }
                final Checkpoint end = reader.checkpoint();
                final Path file = index.directory.unfinished(current.first(), read);
                write(file, before, end, entries);
                rest = read < current.last() ? new Gap(read + 1, current.last()) : null;
                if (!index.publish(List.of(current), file, read, rest))
                {
                    return;
                }
                before = end;
            }
        }
    }

    private static Checkpoint checkpoint(final JournalReader reader)
    {
        try
        {
            return reader.checkpoint();
        }
        catch (final JournalException ex)
        {
            return new Checkpoint(0, reader.nextSequence() - 1);
        }
    }

    /** Adjacent files, of which none is so long that copying it again is not worth it. */
    private static boolean isWorthMerging(final List<Source> sources)
    {
        long events = 0;
        long entries = 0;
        for (final Source source : sources)
        {
            if (!(source instanceof IndexFile))
            {
                return false;
            }
            events += source.last() - source.first() + 1;
            entries += ((IndexFile)source).count();
        }
        final long oldest = sources.get(0).last() - sources.get(0).first() + 1;

        return oldest <= events - oldest && entries <= IndexFile.MAX_ENTRIES && events <= Integer.MAX_VALUE;
    }

    private void merge(final List<IndexFile> files) throws IOException
    {
        final long last = files.get(files.size() - 1).last();
        final Path merged = index.directory.unfinished(files.get(0).first(), last);
        try
        {
            if (!IndexWriter.merge(merged, files, this::isClosed))
            {
                Files.deleteIfExists(merged);
                return;
            }
        }
        catch (final IOException | IndexDamagedException ex)
        {
            Files.deleteIfExists(merged);
            if (ex instanceof IndexDamagedException)
            {
                files.stream().filter((file) -> file.path().equals(((IndexDamagedException)ex).path()))
                    .forEach((file) -> index.onDamage(file, (IndexDamagedException)ex));
            }
            throw ex;
        }
        index.publish(files, merged, last, null);
    }
}
