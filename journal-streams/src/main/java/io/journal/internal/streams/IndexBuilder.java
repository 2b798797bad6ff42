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
final class IndexBuilder
{
    private static final int MERGED = 4;
    // Of a file that is made from the journal: with the sorting, 24 bytes of heap each.
    private static final int MAX_ENTRIES = 1024 * 1024;
    private static final int MAX_EVENTS = 256 * 1024;

    /** Makes a file. */
    private interface Work
    {
        /** Returns false if it was stopped. */
        boolean write(Path file) throws IOException;
    }

    private final Index index;
    private final Journal journal;
    private final ErrorHandler errorHandler;
    private final Worker worker = new Worker("journal-streams-index", this::work);

    IndexBuilder(final Index index, final Journal journal, final ErrorHandler errorHandler)
    {
        this.index = index;
        this.journal = journal;
        this.errorHandler = errorHandler;
    }

    /** Writes what the journal has and no file, then begins to work in the background. */
    void start()
    {
        attempt(true);
        worker.start();
        worker.wake();
    }

    void wake()
    {
        worker.wake();
    }

    /** Ends after the file that is being written. */
    void close()
    {
        worker.close();
        worker.join();
    }

    private boolean work()
    {
        return attempt(false);
    }

    /** Returns false if something failed. */
    private boolean attempt(final boolean isOpening)
    {
        try
        {
            index.dropPruned();
            boolean isMore = true;
            while (isMore && !worker.isClosed())
            {
                isMore = isOpening ? closeGap() : closeGap() || writeTail() || merge();
            }

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

    private boolean writeTail() throws IOException
    {
        final List<Source> found = index.find(1, (sources) -> sources.get(0) instanceof Tail);
        if (null != found)
        {
            write((Tail)found.get(0));
        }

        return null != found;
    }

    private void write(final Tail tail) throws IOException
    {
        if (journal.forcedSequence() < tail.last())
        {
            // Never a file of events that may get lost.
            journal.force();
        }
        final Path file = index.directory.unfinished(tail.first(), tail.last());
        if (write(file, (path) -> IndexWriter.write(path, index.before(tail), tail.end(), tail.entries())))
        {
            index.publish(List.of(tail), file, tail.last(), null);
        }
    }

    /** Writes all tails, so that the next opening need not read them; the newest only if that is worth a file. */
    void writeTails(final int minEvents)
    {
        final Tail newest = index.tail();
        newest.end(index.log.checkpoint(newest.last()));
        try
        {
            for (final Source source : index.sources())
            {
                if (source instanceof Tail && (source != newest || newest.count() >= minEvents))
                {
                    write((Tail)source);
                }
            }
        }
        catch (final IOException | RuntimeException ex)
        {
            errorHandler.onError(ex);
        }
    }

    private static boolean write(final Path file, final Work work) throws IOException
    {
        boolean isComplete = false;
        try
        {
            isComplete = work.write(file);
        }
        finally
        {
            if (!isComplete)
            {
                Files.deleteIfExists(file);
            }
        }

        return isComplete;
    }

    /** Indexes a gap from the journal, one file after the other. */
    private boolean closeGap() throws IOException
    {
        final List<Source> found = index.find(1, (sources) -> sources.get(0) instanceof Gap);
        if (null == found)
        {
            return false;
        }

        final Gap gap = (Gap)found.get(0);
        final long last = Math.min(gap.last(), gap.first() + MAX_EVENTS - 1);
        final Checkpoint before = index.log.checkpoint(gap.first() - 1);
        final Entries entries = new Entries(0);
        final EventRecord event = new EventRecord();
        try (JournalReader reader = index.log.openReader(gap.first()))
        {
            reader.controlledPoll((buffer, offset, length, header) ->
            {
                final long position = header.sequence();
                for (final long key : event.wrap(buffer, offset, length, position, header.tag()).keys())
                {
                    entries.add(key, (int)(position - gap.first()));
                }
                return entries.count() >= MAX_ENTRIES ? RecordHandler.Action.BREAK : RecordHandler.Action.CONTINUE;
            }, (int)(last - gap.first() + 1));
            final Checkpoint end = reader.checkpoint();
            if (end.sequence() < gap.first())
            {
                throw new JournalException("cannot read the events to index: position=" + gap.first());
            }
            final Path file = index.directory.unfinished(gap.first(), end.sequence());
            if (write(file, (path) -> IndexWriter.write(path, before, end, entries)))
            {
                index.publish(found, file, end.sequence(),
                    end.sequence() < gap.last() ? new Gap(end.sequence() + 1, gap.last()) : null);
            }
        }

        return true;
    }

    /** Merges adjacent files, of which none is so long that copying it again is not worth it. */
    private boolean merge() throws IOException
    {
        final List<Source> found = index.find(MERGED, IndexBuilder::isWorthMerging);
        if (null == found)
        {
            return false;
        }

        final List<IndexFile> files = found.stream().map(IndexFile.class::cast).toList();
        final long last = files.get(MERGED - 1).last();
        final Path file = index.directory.unfinished(files.get(0).first(), last);
        try
        {
            if (write(file, (path) -> IndexWriter.merge(path, files, worker::isClosed)))
            {
                index.publish(files, file, last, null);
            }
        }
        catch (final IndexDamagedException ex)
        {
            files.stream().filter((each) -> each.path().equals(ex.path())).forEach((each) -> index.onDamage(each, ex));
            throw ex;
        }

        return true;
    }

    private static boolean isWorthMerging(final List<Source> sources)
    {
        if (!sources.stream().allMatch(IndexFile.class::isInstance))
        {
            return false;
        }

        final long first = sources.get(0).first();
        final long events = sources.get(MERGED - 1).last() - first + 1;
        final long oldest = sources.get(0).last() - first + 1;
        return oldest <= events - oldest && events <= Integer.MAX_VALUE &&
            sources.stream().mapToLong((file) -> ((IndexFile)file).count()).sum() <= IndexFile.MAX_ENTRIES;
    }
}
