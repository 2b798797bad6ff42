// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Predicate;

import io.journal.Checkpoint;
import io.journal.CorruptJournalException;
import io.journal.JournalReader;
import org.agrona.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * The sources that cover all positions up to the newest event; the last is the tail. One thread at a time adds and
 * truncates; another one replaces sources by files; any number look up, in the list that they have taken.
 */
final class Index implements KeyCandidates.DamageListener
{
    // A key or more for each event: limits the memory of a tail whose events have many tags.
    private static final int ENTRIES_OF_EVENT = 16;

    final Log log;
    final IndexDirectory directory;
    private final int tailEvents;
    private final boolean isKeepingKeys;
    private final @Nullable ErrorHandler errorHandler;
    private Runnable onWork = () ->
    {
    };

    private volatile Source[] sources = {};
    private Tail tail = new Tail(1);
    private int tailEntries;

    /**
     * @param errorHandler to report damage; null for a reader, which deletes no files.
     */
    Index(
        final Log log,
        final Path journal,
        final int tailEvents,
        final boolean isKeepingKeys,
        final @Nullable ErrorHandler errorHandler)
    {
        this.log = log;
        directory = new IndexDirectory(journal);
        this.tailEvents = tailEvents;
        this.isKeepingKeys = isKeepingKeys;
        this.errorHandler = errorHandler;
    }

    /** Registers what is called if there is something to write, or to index again. */
    void onWork(final Runnable listener)
    {
        onWork = listener;
    }

    /**
     * Opens the files, and reads into memory what follows them.
     *
     * @param tails how many tails are read at most; if there is more, it becomes a gap.
     */
    void load(final int tails)
    {
        final long last = log.last();
        final long oldest = log.first();
        final List<Source> all = new ArrayList<>();
        long next = oldest;
        for (final IndexFile file : files())
        {
            if (all.isEmpty() && file.first() < oldest)
            {
                next = file.first();
            }
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
        beginTail(all, next);
        readUpTo(last);
    }

    private List<IndexFile> files()
    {
        try
        {
            if (null != errorHandler)
            {
                directory.prepare();
            }

            return directory.load(log, isKeepingKeys, errorHandler);
        }
        catch (final IOException ex)
        {
            // Not being able to use the index is no reason not to open.
            report(ex);
            return List.of();
        }
    }

    private void beginTail(final List<Source> before, final long first)
    {
        final List<Source> all = new ArrayList<>(before);
        tail = new Tail(first);
        tailEntries = 0;
        all.add(tail);
        sources = all.toArray(new Source[0]);
    }

    /** Adds the events after the newest one that is indexed. */
    private void readUpTo(final long last)
    {
        if (tail.last() < last)
        {
            try (JournalReader reader = log.openReader(JournalReader.Limit.WRITTEN))
            {
                reader.seek(tail.last() + 1);
                final EventRecord event = new EventRecord();
                while (tail.last() < last)
                {
                    final int limit = (int)Math.min(last - tail.last(), Integer.MAX_VALUE);
                    final int count = reader.poll((buffer, offset, length, header) -> add(
                        event.wrap(buffer, offset, length, header.sequence(), header.tag()).keys()), limit);
                    if (0 == count)
                    {
                        throw new CorruptJournalException("records are missing: sequence=" + (tail.last() + 1));
                    }
                }
            }
        }
    }

    /** Adds the next event. */
    void add(final long[] keys)
    {
        tail.add(keys);
        tailEntries += keys.length;
        if (tail.count() >= tailEvents || tailEntries >= (long)ENTRIES_OF_EVENT * tailEvents)
        {
            // While the record is surely there: a prune may take it before the file is written.
            tail.end(log.checkpoint(tail.last()));
            synchronized (this)
            {
                beginTail(List.of(sources), tail.last() + 1);
            }
            onWork.run();
        }
    }

    Source[] sources()
    {
        return sources;
    }

    long last()
    {
        return tail.last();
    }

    Tail tail()
    {
        return tail;
    }

    /** Checkpoint of the event before a tail. */
    synchronized Checkpoint before(final Tail of)
    {
        final int at = Arrays.asList(sources).indexOf(of);
        return 1 == of.first() ? Checkpoint.START :
            at > 0 ? sources[at - 1].end() : new Checkpoint(0, of.first() - 1);
    }

    Candidates candidates(final Source[] in, final long key)
    {
        return new KeyCandidates(in, key, this);
    }

    Candidates candidates(final Source[] in, final Matcher matcher)
    {
        return matcher.candidates((key) -> candidates(in, key));
    }

    @Override
    public void onDamage(final Source source, final IndexDamagedException damage)
    {
        synchronized (this)
        {
            final int at = Arrays.asList(sources).indexOf(source);
            if (at < 0)
            {
                return;
            }
            final Source[] changed = sources.clone();
            changed[at] = new Gap(source.first(), source.last());
            sources = changed;
            if (null != errorHandler)
            {
                deleteFile(source);
                dropPruned();
            }
        }
        report(damage);
        onWork.run();
    }

    /**
     * Puts a file in the place of consecutive sources, or of a part of a gap.
     *
     * @param replaced the sources.
     * @param unfinished name of the file.
     * @param last       position of the file.
     * @param rest       of a gap, which the file does not cover; or null.
     * @return false if the sources were replaced meanwhile; the file is deleted.
     */
    boolean publish(
        final List<? extends Source> replaced, final Path unfinished, final long last, final @Nullable Gap rest)
        throws IOException
    {
        final Path path = directory.file(replaced.get(0).first(), last);
        return publish(replaced, unfinished, new IndexFile(unfinished, path), rest);
    }

    private synchronized boolean publish(
        final List<? extends Source> replaced,
        final Path unfinished,
        final IndexFile file,
        final @Nullable Gap rest) throws IOException
    {
        final List<Source> all = new ArrayList<>(List.of(sources));
        final int at = all.indexOf(replaced.get(0));
        if (at < 0 || at + replaced.size() > all.size() ||
            !all.subList(at, at + replaced.size()).equals(replaced))
        {
            Files.deleteIfExists(unfinished);
            return false;
        }

        Files.move(unfinished, file.path(), StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        all.subList(at, at + replaced.size()).clear();
        all.add(at, file);
        if (null != rest)
        {
            all.add(at + 1, rest);
        }
        sources = all.toArray(new Source[0]);
        replaced.forEach(this::deleteFile);

        return true;
    }

    /** Drops the sources of events that were pruned, unless they are kept, and those before a gap that was pruned. */
    synchronized void dropPruned()
    {
        final long oldest = log.first();
        final List<Source> all = new ArrayList<>(List.of(sources));
        int begin = 0;
        for (int i = 0; i < all.size() - 1; i++)
        {
            final Source source = all.get(i);
            final boolean isPruned = source.last() < oldest;
            if (source instanceof Gap ? isPruned : isPruned && !isKeepingKeys)
            {
                begin = i + 1;
            }
            else if (source instanceof Gap && source.first() < oldest)
            {
                all.set(i, new Gap(oldest, source.last()));
                begin = i;
            }
        }
        all.subList(0, begin).forEach(this::deleteFile);
        sources = all.subList(begin, all.size()).toArray(new Source[0]);
    }

    /** Forgets the events after a position. */
    void truncateAfter(final long position)
    {
        synchronized (this)
        {
            final List<Source> kept = new ArrayList<>();
            long next = position + 1;
            for (final Source source : sources)
            {
                if (source.last() <= position && source != tail)
                {
                    kept.add(source);
                }
                else
                {
                    deleteFile(source);
                    if (source instanceof Tail)
                    {
                        next = Math.min(next, source.first());
                    }
                    else if (source.first() <= position)
                    {
                        kept.add(new Gap(source.first(), position));
                    }
                }
            }
            if (next < log.first())
            {
                // Pruned records of a tail cannot be read again.
                kept.forEach(this::deleteFile);
                kept.clear();
                next = log.first();
            }
            beginTail(kept, next);
        }
        readUpTo(position);
        onWork.run();
    }

    /** The oldest sources, at least a number of them, that a rule selects. */
    @Nullable
    List<Source> find(final int count, final Predicate<List<Source>> rule)
    {
        final List<Source> all = List.of(sources);
        for (int i = 0; i + count < all.size(); i++)
        {
            final List<Source> window = all.subList(i, i + count);
            if (rule.test(window))
            {
                return window;
            }
        }

        return null;
    }

    private void deleteFile(final Source source)
    {
        if (source instanceof IndexFile)
        {
            final Path path = ((IndexFile)source).path();
            // A merged or rebuilt file may have the name of the file that it replaces.
            if (Arrays.stream(sources).noneMatch(
                (each) -> each != source && each instanceof IndexFile && path.equals(((IndexFile)each).path())))
            {
                try
                {
                    Files.deleteIfExists(path);
                }
                catch (final IOException ex)
                {
                    report(ex);
                }
            }
        }
    }

    private void report(final Exception problem)
    {
        if (null != errorHandler)
        {
            errorHandler.onError(problem);
        }
    }
}
