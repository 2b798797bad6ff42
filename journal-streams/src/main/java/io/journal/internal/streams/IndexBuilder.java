// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalException;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * Writes index files, in a thread of its own: from tails that are full, from the journal where there is a gap, and from
 * files that are merged. Work that fails is reported and tried again later; until then the source stays as it is.
 */
final class IndexBuilder
{
    private static final int MERGED = 4;
    // Of a file that is made from the journal: with the sorting, 24 bytes of heap each.
    private static final int MAX_ENTRIES = 1024 * 1024;
    // Of a file, unless it is merged.
    private static final int MAX_EVENTS = 256 * 1024;

    private final Index index;
    private final Journal journal;
    private final ErrorHandler errorHandler;
    private final ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(
        1, this::newThread, new ThreadPoolExecutor.DiscardPolicy());
    private volatile @Nullable Thread thread;
    private volatile boolean isClosed;

    IndexBuilder(final Index index, final Journal journal, final ErrorHandler errorHandler)
    {
        this.index = index;
        this.journal = journal;
        this.errorHandler = errorHandler;
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    private Thread newThread(final Runnable task)
    {
        final Thread created = Streams.daemon("journal-streams-index", task);
        thread = created;
        return created;
    }

    /** Closes gaps now, because in a gap each condition reads every event; then works in the background. */
    void start()
    {
        attempt(true);
        wake();
    }

    void wake()
    {
        executor.execute(() ->
        {
            // If a task is queued, it is tried again anyway.
            if (!attempt(false) && !isClosed && executor.getQueue().isEmpty())
            {
                executor.schedule(this::wake, 1, TimeUnit.SECONDS);
            }
        });
    }

    /**
     * Ends after the file that is being written, and after the tails, so that the next opening need not read them.
     *
     * @param minEvents for which the newest tail is worth a file; it also is if it has the keys of pruned events, which
     *                  are nowhere else. Without it no tail is written.
     */
    void close(final @Nullable Integer minEvents)
    {
        isClosed = true;
        final Runnable last = () ->
        {
            if (null != minEvents)
            {
                writeAllTails(minEvents);
            }
        };
        try
        {
            if (Thread.currentThread() == thread)
            {
                // Closed by the error handler.
                last.run();
            }
            else
            {
                CompletableFuture.runAsync(last, executor).join();
            }
        }
        finally
        {
            executor.shutdown();
        }
    }

    private void writeAllTails(final int minEvents)
    {
        try
        {
            while (writeTails())
            {
                // As many as fit into one file each time.
            }
            final Tail newest = index.newest();
            if (newest.count() >= minEvents || newest.count() > 0 && newest.first() < index.log.first())
            {
                newest.end = index.log.checkpoint(newest.last());
                write(List.of(newest));
            }
        }
        catch (final IOException | RuntimeException | OutOfMemoryError ex)
        {
            errorHandler.onError(ex);
        }
    }

    /** Returns false if something failed. */
    private boolean attempt(final boolean isOpening)
    {
        try
        {
            index.dropPruned();
            // A merge first, because it writes tails meanwhile; the other way round there may always be a full tail.
            while (!isClosed && (closeGap() || !isOpening && (merge() || writeTails())))
            {
                // One file after the other.
            }
        }
        catch (final IndexDamagedException ex)
        {
            index.onDamage(ex);
        }
        catch (final IOException | RuntimeException | OutOfMemoryError ex)
        {
            errorHandler.onError(
                new JournalException("cannot write an index file, which is tried again; cause=" + ex, ex));
            return false;
        }

        return true;
    }

    /** Indexes a gap from the journal, as far as one file goes. */
    private boolean closeGap() throws IOException
    {
        for (final Source gap : index.sources())
        {
            if (gap instanceof Gap)
            {
                final EntryList entries = new EntryList(gap.first());
                final Checkpoint before = index.log.checkpoint(gap.first() - 1);
                final Checkpoint end = index.log.readKeys(
                    gap.first(), Math.min(gap.last(), gap.first() + MAX_EVENTS - 1), (position, keys) ->
                    {
                        for (final long key : keys)
                        {
                            entries.add(key, position);
                        }
                        return entries.count() < MAX_ENTRIES;
                    });
                write(List.of(gap), before, end, List.of(entries.sort()), () -> false);

                return true;
            }
        }

        return false;
    }

    /** Writes the oldest tails that are full into one file. */
    private boolean writeTails() throws IOException
    {
        final List<Tail> tails = index.fullTails(MAX_EVENTS);
        if (!tails.isEmpty())
        {
            write(tails);
        }

        return !tails.isEmpty();
    }

    private void write(final List<Tail> tails) throws IOException
    {
        write(tails, tails.get(0).before, tails.get(tails.size() - 1).end, tails.stream().map(Tail::entries).toList(),
            () -> false);
    }

    /** Merges adjacent files, of which none is so long that copying it again is not worth it. */
    private boolean merge() throws IOException
    {
        final List<Source> all = List.of(index.sources());
        for (int i = 0; i + MERGED < all.size(); i++)
        {
            final List<Source> some = all.subList(i, i + MERGED);
            if (some.stream().allMatch(IndexFile.class::isInstance))
            {
                final List<IndexFile> files = some.stream().map(IndexFile.class::cast).toList();
                if (isWorthMerging(files))
                {
                    // Tails are written meanwhile, because they take memory. A merge can wait for the next opening.
                    write(files, files.get(0).before(), files.get(MERGED - 1).end(), files,
                        () -> !writeTails() && isClosed);
                    return true;
                }
            }
        }

        return false;
    }

    private static boolean isWorthMerging(final List<IndexFile> files)
    {
        final long first = files.get(0).first();
        final long events = files.get(MERGED - 1).last() - first + 1;
        final long oldest = files.get(0).last() - first + 1;
        return oldest <= events - oldest && events <= Integer.MAX_VALUE &&
            files.stream().mapToLong(IndexFile::count).sum() <= IndexFile.MAX_ENTRIES;
    }

    private void write(
        final List<? extends Source> replaced,
        final Checkpoint before,
        final Checkpoint end,
        final List<? extends Entries> parts,
        final IndexFile.Interruption interruption)
        throws IOException
    {
        if (journal.forcedSequence() < end.sequence())
        {
            // Never a file of events that may get lost.
            journal.force();
        }
        // It may have been deleted, or not have been made at opening.
        Files.createDirectories(index.directory.path);
        final Path file = index.directory.unfinished(before.sequence() + 1, end.sequence());
        if (IndexFile.write(file, before, end, parts, interruption))
        {
            index.replace(replaced, file, end.sequence());
        }
    }
}
