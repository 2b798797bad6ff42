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
    // Limits the memory of a tail whose events have many tags.
    private static final long ENTRIES_OF_EVENT = 16;

    final Log log;
    final IndexDirectory directory;
    private final int tailEvents;
    private final boolean isKeepingKeys;
    private Runnable onWork = () ->
    {
    };

    private volatile Source[] sources = {};
    private Tail tail = new Tail(1);

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
        directory = new IndexDirectory(journal, errorHandler);
        this.tailEvents = tailEvents;
        this.isKeepingKeys = isKeepingKeys;
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
    synchronized void load(final int tails)
    {
        final long last = log.last();
        final long oldest = log.first();
        final List<Source> all = new ArrayList<>();
        long next = oldest;
        for (final IndexFile file : files())
        {
            next = all.isEmpty() ? Math.min(next, file.first()) : next;
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
        tail = new Tail(next);
        if (next <= last)
        {
            read(all, next, last);
        }
        all.add(tail);
        // Readers take the new list once it is complete.
        sources = all.toArray(new Source[0]);
    }

    private List<IndexFile> files()
    {
        try
        {
            return directory.load(log, isKeepingKeys);
        }
        catch (final IOException ex)
        {
            // Not being able to use the index is no reason not to open.
            directory.report(ex);
            return List.of();
        }
    }

    private void read(final List<Source> full, final long first, final long last)
    {
        final EventRecord event = new EventRecord();
        try (JournalReader reader = log.openReader(first))
        {
            for (long next = first; next <= last; next = reader.nextSequence())
            {
                final int limit = (int)Math.min(last - next + 1, Integer.MAX_VALUE);
                final int count = reader.poll((buffer, offset, length, header) ->
                {
                    if (isFullWith(event.wrap(buffer, offset, length, header.sequence(), header.tag()).keys()))
                    {
                        full.add(tail);
                        tail = new Tail(tail.last() + 1);
                    }
                }, limit);
                if (0 == count)
                {
                    throw new CorruptJournalException("records are missing: sequence=" + next);
                }
            }
        }
    }

    /** Adds the next event. */
    void add(final long[] keys)
    {
        if (isFullWith(keys))
        {
            tail = new Tail(tail.last() + 1);
            synchronized (this)
            {
                final Source[] longer = Arrays.copyOf(sources, sources.length + 1);
                longer[sources.length] = tail;
                sources = longer;
            }
            onWork.run();
        }
    }

    private boolean isFullWith(final long[] keys)
    {
        tail.add(keys);
        final boolean isFull =
            tail.count() >= tailEvents || tail.entryCount() >= ENTRIES_OF_EVENT * tailEvents;
        if (isFull)
        {
            // While the record is surely there: a prune may take it before the file is written.
            tail.end(log.checkpoint(tail.last()));
        }

        return isFull;
    }

    Source[] sources()
    {
        return sources;
    }

    Tail tail()
    {
        return tail;
    }

    /** Checkpoint of the event before a tail. */
    Checkpoint before(final Tail of)
    {
        final Source[] all = sources;
        final int at = Arrays.asList(all).indexOf(of);
        return 1 == of.first() ? Checkpoint.START :
            at > 0 ? all[at - 1].end() : new Checkpoint(0, of.first() - 1);
    }

    Candidates candidates(final Source[] in, final Matcher matcher)
    {
        return matcher.candidates((key) -> new KeyCandidates(in, key, this));
    }

    @Override
    public void onDamage(final Source source, final IndexDamagedException damage)
    {
        synchronized (this)
        {
            final Source[] changed = sources.clone();
            final int at = Arrays.asList(changed).indexOf(source);
            if (at < 0)
            {
                return;
            }
            changed[at] = new Gap(source.first(), source.last());
            sources = changed;
            deleteFile(source);
            dropPruned();
        }
        directory.report(damage);
        onWork.run();
    }

    /**
     * Puts a file in the place of consecutive sources, or of a part of a gap.
     *
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
        final IndexFile file = new IndexFile(unfinished, path);
        synchronized (this)
        {
            final List<Source> all = new ArrayList<>(List.of(sources));
            final int at = all.indexOf(replaced.get(0));
            final int end = at + replaced.size();
            if (at < 0 || end > all.size() || !all.subList(at, end).equals(replaced))
            {
                directory.delete(unfinished);
                return false;
            }

            Files.move(unfinished, path, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
            all.subList(at, end).clear();
            all.add(at, file);
            if (null != rest)
            {
                all.add(at + 1, rest);
            }
            sources = all.toArray(new Source[0]);
            replaced.forEach(this::deleteFile);

            return true;
        }
    }

    /** Drops the sources of events that were pruned, unless they are kept, and all before a gap that was pruned. */
    synchronized void dropPruned()
    {
        final long oldest = log.first();
        final List<Source> all = new ArrayList<>(List.of(sources));
        int begin = 0;
        for (int i = 0; i < all.size() - 1; i++)
        {
            final Source source = all.get(i);
            if (source.last() < oldest && (source instanceof Gap || !isKeepingKeys))
            {
                begin = i + 1;
            }
            else if (source instanceof Gap && source.first() < oldest)
            {
                all.set(i, new Gap(oldest, source.last()));
                begin = i;
            }
        }
        if (begin > 0 || !all.equals(List.of(sources)))
        {
            final List<Source> dropped = List.copyOf(all.subList(0, begin));
            sources = all.subList(begin, all.size()).toArray(new Source[0]);
            dropped.forEach(this::deleteFile);
        }
    }

    /** Opens the index again after a truncation. */
    synchronized void truncateAfter(final long position, final int tails)
    {
        Arrays.stream(sources).filter((source) -> source.last() > position).forEach(this::delete);
        load(tails);
        onWork.run();
    }

    /** The oldest sources, of a number, that a rule selects; the tail does not count. */
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

    /** Deletes the file of a source that was replaced, unless the file in its place has the same name. */
    private void deleteFile(final Source source)
    {
        if (source instanceof IndexFile && Arrays.stream(sources).noneMatch((each) -> each instanceof IndexFile &&
            ((IndexFile)each).path().equals(((IndexFile)source).path())))
        {
            delete(source);
        }
    }

    private void delete(final Source source)
    {
        if (source instanceof IndexFile)
        {
            try
            {
                directory.delete(((IndexFile)source).path());
            }
            catch (final IOException ex)
            {
                directory.report(ex);
            }
        }
    }
}
