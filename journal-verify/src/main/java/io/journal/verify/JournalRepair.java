// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ThreadLocalRandom;

import io.journal.CorruptJournalException;
import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.JournalLockedException;
import io.journal.JournalNotFoundException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.recover.PositionRange;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentFilling;
import io.journal.internal.segment.SegmentSet;
import io.journal.internal.segment.Window;
import io.journal.store.Backend;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;

/**
 * Repairs a damaged journal so that it opens again. First rebuilds the files that describe the journal from the others,
 * as far as possible; then truncates the journal before the damage, which loses the records after it. Deletes nothing:
 * truncated bytes stay in place, until the next opening deletes the segments that hold nothing else. Intended for
 * operators and tools that know the damage from {@link JournalVerifier}, and have no backup:
 * <pre>{@code
 * try (JournalRepair repair = JournalRepair.open(path))
 * {
 *     repair.rebuild();
 *     Verdict verdict = JournalVerifier.verify(path);
 *     if (verdict.isRepairableByTruncation())
 *     {
 *         repair.truncate(verdict.endPosition(), verdict.lastSequence() + 1);
 *     }
 * }
 * Journal.builder(path).openExisting().close();
 * }</pre>
 * No other finding is a reason to truncate: bytes that cannot be read, or have a newer format, may be intact.
 * <p>
 * Holds the journal's lock until it is closed. If a step fails, or the process ends, opening still refuses the journal,
 * or finds it whole, and the steps can be repeated. Not thread-safe.
 */
public final class JournalRepair implements AutoCloseable
{
    private static final int MAX_ROUNDS = 5;
    // Limit of missing segments for each segment that exists, so that a file name with a huge number costs little.
    private static final int MAX_GAPS = 1000;
    private static final int WINDOW_LENGTH = 1024 * 1024;
    private static final String REPAIRED = JournalFiles.SPARE_PREFIX + "repaired";
    private static final String UNREADABLE = ".unreadable";

    private final Path path;
    private final SegmentStore store;
    private final DirectoryLock lock;

    private JournalRepair(final Path path, final SegmentStore store, final DirectoryLock lock)
    {
        this.path = path;
        this.store = store;
        this.lock = lock;
    }

    /**
     * A file that can be rebuilt from the others.
     *
     * @param file    {@code journal.control}, or a segment whose header is damaged.
     * @param fault   what is wrong with it.
     * @param content what it will contain.
     * @param lost    how many records cannot be read even then, because the first segments are unreadable or missing;
     *                -1 if unknown.
     */
    public record Rebuild(String file, String fault, String content, long lost)
    {
    }

    /**
     * Bytes that are no longer part of the journal, still in place.
     *
     * @param file in the journal's directory.
     * @param from offset of the first byte.
     * @param to   offset after the last byte.
     */
    public record Range(String file, long from, long to)
    {
    }

    private interface Step<T>
    {
        T run() throws IOException;
    }

    /**
     * Reports what {@link #rebuild()} would do. Changes nothing and takes no lock.
     * <p>
     * Searches for a salt that is in no header, which can take a minute on all processors for each such segment.
     *
     * @param path of the journal's directory.
     * @return what can be rebuilt; empty if no such file is damaged, or only a segment header that cannot be rebuilt.
     * @throws CorruptJournalException  if something must be rebuilt first and cannot be; the message names what is
     *                                  missing.
     * @throws JournalNotFoundException if there is no journal.
     * @throws JournalException         if the journal cannot be read, or is of a newer format.
     */
    public static List<Rebuild> rebuildable(final Path path)
    {
        try
        {
            final SegmentStore store = Backend.FILE_CHANNEL.store(path);
            Inventory.checkJournal(path, store);
            List<Rebuild> rebuilds = Reconstruction.of(store).rebuilds;
            List<Rebuild> before = List.of();
            // A file that a writer is changing may appear damaged, but not twice in the same way.
            for (int round = 1; round < MAX_ROUNDS && !rebuilds.equals(before); round++)
            {
                before = rebuilds;
                rebuilds = Reconstruction.of(store).rebuilds;
            }

            return rebuilds;
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot read the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Opens a journal for repair: takes its lock.
     *
     * @param path of the journal's directory.
     * @return the repair, which holds the lock.
     * @throws JournalLockedException   if a writer has the journal open.
     * @throws JournalNotFoundException if there is no journal.
     * @throws JournalException         if the lock cannot be taken.
     */
    public static JournalRepair open(final Path path)
    {
        return open(path, Backend.FILE_CHANNEL.store(path));
    }

    static JournalRepair open(final Path path, final SegmentStore store)
    {
        try
        {
            Inventory.checkJournal(path, store);
            return new JournalRepair(path, store, DirectoryLock.acquire(path));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot open the journal for repair: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Rebuilds {@code journal.control} and damaged segment headers from all other files. Segments at the beginning that
     * are unreadable even so get names that end with {@code .unreadable}, and the journal then begins after them.
     * Afterwards {@link JournalVerifier} reports what else is damaged.
     *
     * @return what was rebuilt; empty if there was nothing to rebuild.
     * @throws CorruptJournalException as {@link #rebuildable} does; nothing was changed.
     * @throws JournalFullException    if there is no space for the file.
     * @throws JournalException        if the journal is of a newer format, so that nothing was changed, or if it failed
     *                                 otherwise.
     */
    public List<Rebuild> rebuild()
    {
        return run(() ->
        {
            final Reconstruction found = Reconstruction.of(store);
            if (!found.rebuilds.isEmpty())
            {
                ControlFile.fence(store, true);
            }
            for (final Map.Entry<Long, ByteBuffer> entry : found.headers.entrySet())
            {
                try (SegmentFile file = store.open(JournalFiles.segment(entry.getKey()), SegmentStore.Access.WRITE))
                {
                    file.write(0, entry.getValue());
                    file.force(0, SegmentHeader.LENGTH);
                }
            }
            if (found.isControlRebuilt())
            {
                // Renamed before they are below the journal's start, because opening deletes segments below it.
                for (final long ordinal : found.unreadable)
                {
                    quarantine(JournalFiles.segment(ordinal));
                }
                rebuildControl(found);
            }
            return List.copyOf(found.rebuilds);
        });
    }

    private void quarantine(final String name) throws IOException
    {
        final List<String> names = new ArrayList<>(store.list());
        String target = name + UNREADABLE;
        for (int i = 1; names.contains(target); i++)
        {
            target = name + UNREADABLE + '.' + i;
        }
        store.rename(name, target);
        store.force();
    }

    private void rebuildControl(final Reconstruction found) throws IOException
    {
        if (ControlContent.LENGTH == found.controlLength)
        {
            ControlFile.rewrite(store, found.uuid, found.segmentLength, found.state, found.timeMs());
            return;
        }

        store.delete(ControlFile.TEMPORARY);
        store.delete(REPAIRED);
        ControlFile.create(store, REPAIRED, found.uuid, found.segmentLength, found.state, null, found.timeMs());
        Files.move(path.resolve(REPAIRED), path.resolve(JournalFiles.CONTROL), StandardCopyOption.ATOMIC_MOVE);
        store.force();
    }

    /**
     * Truncates a journal at a position, even below the durable watermark. As with {@link Journal#truncateAfter},
     * cursors move back, readers in other processes are notified, and truncated bytes stay in place. The journal
     * continues in a segment of its own.
     *
     * @param position     up to which everything is valid, as reported by {@link Verdict#endPosition()}.
     * @param nextSequence the sequence that follows the last record before it.
     * @return the bytes that are no longer part of the journal.
     * @throws IllegalArgumentException if nothing would remain, or the journal has no such position.
     * @throws JournalFullException     if there is no space for a segment; nothing was truncated.
     * @throws JournalException         if it failed otherwise.
     */
    public List<Range> truncate(final long position, final long nextSequence)
    {
        return run(() ->
        {
            final ControlContent found = ControlContent.read(store, true);
            final Layout layout = new Layout(found.segmentLength());
            // If the segment in which a cut ends is lost, the position lies within the cut.
            final Cut cut = found.state().history.cutAt(layout.place(position));
            final long from = layout.place(null == cut ? position : cut.from());
            termBefore(found, layout, from, nextSequence);
            // Made first, because it takes space and may fail.
            placeAfter(found, layout, from);
            try (ControlFile control = ControlFile.open(store))
            {
                // Read again, now that a writer which has lost its lock can no longer change anything.
                return truncate(control, layout, from, nextSequence);
            }
        });
    }

    private List<Range> truncate(
        final ControlFile control, final Layout layout, final long from, final long nextSequence) throws IOException
    {
        final ControlContent found = control.content;
        final long term = termBefore(found, layout, from, nextSequence);
        final long to = placeAfter(found, layout, from);
        final History next = found.state().history.begin(
            Term.next(ThreadLocalRandom.current()::nextLong), from, to, nextSequence, term);
        final ControlState state = found.state().truncated(next, nextSequence - 1, term);
        if (!ControlFile.hasRoom(state))
        {
            throw new JournalException("cannot truncate: no room in the journal's state: path=" + path);
        }
        final List<Long> ordinals = SegmentSet.ordinals(store);
        forceKept(found, layout, ordinals, from);
        if (found.isChangeUnfinished())
        {
            control.confirm();
        }
        control.replace(state, true);
        // Not earlier: until then, the watermark of the previous term shows which records are missing.
        control.forced(next.term, to, nextSequence);
        return ranges(layout, ordinals, from, to);
    }

    private static IllegalArgumentException notThere(
        final long position, final long nextSequence, final History history)
    {
        return new IllegalArgumentException(
            "cannot truncate there: position=" + position + ", nextSequence=" + nextSequence + ", startPosition=" +
                history.startPosition + ", firstSequence=" + history.startSequence);
    }

    /** Term of the record before the place where the journal is to end. */
    private long termBefore(
        final ControlContent found, final Layout layout, final long from, final long nextSequence) throws IOException
    {
        final History history = found.state().history;
        if (from < history.firstPosition() || nextSequence <= history.startSequence ||
            0 != (from & (FrameHeader.ALIGNMENT - 1)) ||
            !SegmentSet.ordinals(store).contains(layout.ordinal(history.startPosition)))
        {
            throw notThere(from, nextSequence, history);
        }

        final long base = layout.position(layout.ordinal(from - SegmentHeader.LENGTH - 1), 0);
        try (FrameWalk walk = new FrameWalk((ordinal) -> open(found, ordinal), layout, window(layout)))
        {
            walk.start(
                history, Math.max(base + SegmentHeader.LENGTH, history.firstPosition()), FrameCursor.ANY_SEQUENCE);
            FrameWalk.Stop stop = walk.next(from);
            while (FrameWalk.Stop.RECORD == stop)
            {
                walk.pass();
                stop = walk.next(from);
            }
            if (FrameWalk.Stop.LIMIT != stop || walk.position() != from || walk.nextSequence() != nextSequence)
            {
                throw notThere(from, nextSequence, history);
            }
            return walk.lastTerm();
        }
    }

    private Segment open(final ControlContent found, final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, true, found.uuid(), ordinal, found.segmentLength());
    }

    private static Window window(final Layout layout)
    {
        return Window.copying(Math.min(WINDOW_LENGTH, layout.segmentLength));
    }

    /** Position of the beginning of a segment without a frame after all others; makes the segment if there is none. */
    private long placeAfter(final ControlContent found, final Layout layout, final long from) throws IOException
    {
        final List<Long> ordinals = SegmentSet.ordinals(store);
        final long last = ordinals.get(ordinals.size() - 1);
        final List<Long> after = SegmentSet.from(ordinals, layout.ordinal(from));
        if (last - layout.ordinal(from) > MAX_GAPS * (after.size() + 1L))
        {
            throw new CorruptJournalException(
                "segment far after the others: file=" + JournalFiles.segment(last) +
                    "; move it out of the directory if it is not one of this journal");
        }
        final long begin = layout.position(last, SegmentHeader.LENGTH);
        if (begin >= from && isReadable(found, last, true) && (begin == from || isReadable(found, last - 1, false)))
        {
            return begin;
        }

        if (!isReadable(found, last, false))
        {
            // Makes one more segment, because opening reads the segment before the one in which the log continues, as
            // long as that is the last.
            make(store, found.uuid(), last + 1, layout.segmentLength);
            return placeAfter(found, layout, from);
        }
        make(store, found.uuid(), last + 1, layout.segmentLength);
        return layout.position(last + 1, SegmentHeader.LENGTH);
    }

    /** Makes a segment without a frame, durably. */
    static void make(final SegmentStore store, final UUID uuid, final long ordinal, final int segmentLength)
        throws IOException
    {
        SegmentFilling.create(
            store, ordinal, SegmentHeader.encode(
                uuid, ordinal, segmentLength, ThreadLocalRandom.current().nextLong(), System.currentTimeMillis(),
                false),
            segmentLength, 0).close();
        store.rename(JournalFiles.spare(ordinal), JournalFiles.segment(ordinal));
        store.force();
    }

    private boolean isReadable(final ControlContent found, final long ordinal, final boolean isEmpty)
        throws IOException
    {
        final Layout layout = new Layout(found.segmentLength());
        try (FrameCursor cursor = new FrameCursor(window(layout)))
        {
            cursor.attach(open(found, ordinal));
            return !isEmpty || !cursor.segment().isRecycled &&
                SegmentHeader.LENGTH == FrameSearch.contentEnd(cursor, SegmentHeader.LENGTH, layout.segmentLength);
        }
        catch (final CorruptJournalException ex)
        {
            return false;
        }
    }

    /** Makes the kept records durable, because the next term states that they are. */
    private void forceKept(
        final ControlContent found, final Layout layout, final List<Long> ordinals, final long from) throws IOException
    {
        final long begin = found.state().history.newest().to();
        final long durable = Math.max(begin, found.durablePosition());
        final PositionRange kept = new PositionRange(store, layout, ordinals, durable, from);
        if (found.isForceUnfinished())
        {
            kept.rewrite();
        }
        kept.force();
        store.force();
    }

    private static List<Range> ranges(
        final Layout layout, final List<Long> ordinals, final long from, final long to)
    {
        final List<Range> ranges = new ArrayList<>();
        for (final long ordinal : ordinals)
        {
            final long base = layout.position(ordinal, 0);
            final long first = Math.max(base + SegmentHeader.LENGTH, from);
            final long end = Math.min(base + layout.segmentLength, to);
            if (first < end)
            {
                ranges.add(new Range(JournalFiles.segment(ordinal), first - base, end - base));
            }
        }
        return ranges;
    }

    /** Runs a step of a repair. */
    private <T> T run(final Step<T> step)
    {
        try
        {
            return step.run();
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space for what the repair writes: path=" + path + "; free some space and try again", ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot repair: path=" + path + "; cause=" + ex, ex);
        }
    }

    /**
     * Releases the lock. Idempotent.
     */
    @Override
    public void close()
    {
        lock.close();
    }
}
