// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import io.journal.Checkpoint;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * The sources that cover all positions up to the newest event; the last is the tail. One thread at a time adds and
 * truncates; another one replaces sources by files; any number look up, in the list that they have taken.
 */
final class Index
{
    // Limits the memory of a tail whose events have many tags.
    private static final long ENTRIES_OF_EVENT = 16;
    private static final int MAX_TAILS = 64;

    final Log log;
    final IndexDirectory directory;
    private final int tailEvents;
    private final int tails;
    private final boolean isKeepingKeys;
    private Runnable onWork = () ->
    {
    };

    private volatile Source[] sources = {};
    // For the thread that adds.
    private Tail tail = new Tail(Checkpoint.START);

    /**
     * @param tailEvents   events of a tail.
     * @param tails        that are read into memory at most; if there is more, it becomes a gap.
     * @param errorHandler to report damage; null for a reader, which deletes no files.
     */
    Index(
        final Log log,
        final Path journal,
        final int tailEvents,
        final int tails,
        final boolean isKeepingKeys,
        final @Nullable ErrorHandler errorHandler)
    {
        this.log = log;
        directory = new IndexDirectory(journal, errorHandler);
        this.tailEvents = tailEvents;
        this.tails = tails;
        this.isKeepingKeys = isKeepingKeys;
    }

    /** Registers what is called if there is something to write, or to index again. */
    void onWork(final Runnable listener)
    {
        onWork = listener;
    }

    /** Opens the files, and reads into memory what follows them, up to the last event. */
    synchronized void load(final long last)
    {
        final List<Source> all = new ArrayList<>();
        long next = log.first();
        for (final IndexFile file : directory.load(log, isKeepingKeys))
        {
            if (file.first() > next)
            {
                all.add(new Gap(next, file.first() - 1));
            }
            all.add(file);
            next = file.last() + 1;
        }
        if (last - next >= (long)tails * tailEvents)
        {
            all.add(new Gap(next, last));
            next = last + 1;
        }
        final Source newest = all.isEmpty() ? null : all.get(all.size() - 1);
        tail = new Tail(newest instanceof IndexFile ? ((IndexFile)newest).end() : log.checkpoint(next - 1));
        all.add(tail);
        if (next <= last)
        {
            log.readKeys(next, last, (position, keys) ->
            {
                if (isFullWith(keys))
                {
                    all.add(tail);
                }
                return true;
            });
        }
        // Readers take the new list once it is complete.
        set(all);
    }

    private void set(final List<Source> all)
    {
        sources = all.toArray(new Source[0]);
        directory.retain(all);
    }

    /** Adds the next event. */
    void add(final long[] keys)
    {
        if (isFullWith(keys))
        {
            synchronized (this)
            {
                final List<Source> all = new ArrayList<>(List.of(sources));
                all.add(tail);
                limitTails(all);
                sources = all.toArray(new Source[0]);
            }
            onWork.run();
        }
    }

    /** If files cannot be written, the oldest tails become a gap, so that the heap does not fill. */
    private static void limitTails(final List<Source> all)
    {
        final int oldest = all.size() - MAX_TAILS;
        if (oldest >= 0 && all.get(oldest) instanceof Tail)
        {
            int begin = oldest;
            while (begin > 0 && !(all.get(begin - 1) instanceof IndexFile))
            {
                begin--;
            }
            final List<Source> replaced = all.subList(begin, oldest + 1);
            final Gap gap = new Gap(all.get(begin).first(), all.get(oldest).last());
            replaced.clear();
            replaced.add(gap);
        }
    }

    /** Adds an event to the tail; returns true if another tail follows it. */
    private boolean isFullWith(final long[] keys)
    {
        tail.add(keys);
        final boolean isFull = tail.count() >= tailEvents || tail.entryCount() >= ENTRIES_OF_EVENT * tailEvents;
        if (isFull)
        {
            // The checkpoint is taken while the record is surely there: a prune may take it before the file is written.
            tail.end = log.checkpoint(tail.last());
            tail = new Tail(tail.end);
        }

        return isFull;
    }

    Source[] sources()
    {
        return sources;
    }

    /** The newest tail; for the thread that adds. */
    Tail newest()
    {
        return tail;
    }

    /** The oldest tails to which nothing is added any more: one, or as many as have at most a number of events. */
    List<Tail> fullTails(final int events)
    {
        final Source[] all = sources;
        final List<Tail> full = new ArrayList<>();
        for (int i = all.length - 2; i >= 0 && all[i] instanceof Tail; i--)
        {
            full.add(0, (Tail)all[i]);
        }

        return full.subList(0, Math.min(Math.max(1, events / tailEvents), full.size()));
    }

    /** The newest event that is indexed. */
    long last()
    {
        final Source[] all = sources;
        return all[all.length - 1].last();
    }

    /** Finds the nearest candidate for a key, as {@link Source#find} does, in sources that cover the range. */
    long find(final Source[] in, final long key, final long from, final long to)
    {
        final int step = from <= to ? 1 : -1;
        int i = in.length - 1;
        while (i > 0 && in[i].first() > from)
        {
            i--;
        }
        long found = Source.NONE;
        // Until a source begins, or ends, beyond the range.
        while (Source.NONE == found && i >= 0 && i < in.length && (step > 0 ? in[i].first() <= to : in[i].last() >= to))
        {
            try
            {
                found = in[i].find(key, from, to);
            }
            catch (final IndexDamagedException ex)
            {
                onDamage(ex);
                found = new Gap(in[i].first(), in[i].last()).find(key, from, to);
            }
            i += step;
        }

        return found;
    }

    /** Has the events of a damaged file indexed again; until then they are a gap. */
    void onDamage(final IndexDamagedException damage)
    {
        synchronized (this)
        {
            final List<Source> all = new ArrayList<>(List.of(sources));
            all.replaceAll((source) -> source instanceof IndexFile && ((IndexFile)source).path().equals(damage.path) ?
                new Gap(source.first(), source.last()) : source);
            if (all.equals(List.of(sources)))
            {
                return;
            }
            set(all);
            dropPruned();
        }
        directory.report(damage);
        onWork.run();
    }

    /**
     * Puts a file in the place of consecutive sources; what it does not cover remains a gap.
     *
     * @param unfinished name of the file.
     * @param last       position of the file.
     */
    void replace(final List<? extends Source> replaced, final Path unfinished, final long last) throws IOException
    {
        synchronized (this)
        {
            final List<Source> all = new ArrayList<>(List.of(sources));
            final int at = Collections.indexOfSubList(all, replaced);
            if (at < 0)
            {
                // Replaced meanwhile.
                Files.deleteIfExists(unfinished);
                return;
            }
            final IndexFile file = finish(unfinished, replaced.get(0).first(), last);
            final List<Source> part = all.subList(at, at + replaced.size());
            final long end = part.get(part.size() - 1).last();
            part.clear();
            part.add(file);
            if (last < end)
            {
                part.add(new Gap(last + 1, end));
            }
            set(all);
        }
    }

    /** Drops the sources of events that were pruned, unless they are kept, and all before a gap that was pruned. */
    synchronized void dropPruned()
    {
        final long oldest = log.first();
        final List<Source> all = new ArrayList<>();
        for (final Source source : sources)
        {
            // Not the newest tail, which may be empty.
            final boolean isPruned = source.last() < oldest && source != sources[sources.length - 1];
            if (source instanceof Gap && source.first() < oldest || isPruned && !isKeepingKeys)
            {
                all.clear();
                if (!isPruned)
                {
                    all.add(new Gap(oldest, source.last()));
                }
            }
            else
            {
                all.add(source);
            }
        }
        if (!all.equals(List.of(sources)))
        {
            set(all);
        }
    }

    /** Opens the index again after a truncation. */
    synchronized long truncateAfter(final long position)
    {
        final List<Source> all = new ArrayList<>(List.of(sources));
        all.removeIf((source) -> source.first() > position);
        final Source newest = all.isEmpty() ? null : all.remove(all.size() - 1);
        if (newest instanceof IndexFile)
        {
            truncate((IndexFile)newest, position).ifPresent(all::add);
        }
        // Readers use the old list, which covers all events that are left, until the new one is complete.
        directory.retain(all);
        load(log.lastSequence().getAsLong());
        onWork.run();

        return last();
    }

    /** Writes what is left of a file: it may have the keys of pruned events, which are nowhere else. */
    private Optional<IndexFile> truncate(final IndexFile file, final long position)
    {
        if (file.last() <= position)
        {
            return Optional.of(file);
        }
        final Path unfinished = directory.unfinished(file.first(), position);
        try
        {
            IndexFile.write(unfinished, file.before(), log.checkpoint(position), List.of(file), () -> false);
            return Optional.of(finish(unfinished, file.first(), position));
        }
        catch (final IOException | IndexDamagedException ex)
        {
            directory.report(ex);
            return Optional.empty();
        }
    }

    private IndexFile finish(final Path unfinished, final long first, final long last) throws IOException
    {
        final Path path = directory.file(first, last);
        Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        // Before what it replaces is deleted.
        PlainFiles.forceDirectory(directory.path);
        return new IndexFile(path);
    }
}
