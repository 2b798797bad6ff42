package io.journal.internal.manage;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import io.journal.CorruptJournalException;
import io.journal.Retention;
import io.journal.internal.control.Control;
import io.journal.internal.control.Cut;
import io.journal.internal.control.DirectoryForce;
import io.journal.internal.control.History;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.SegmentIndex;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Window;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentSupply;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentStore;

/**
 * Drops the oldest segments: those below a sequence, or those that retention does not keep. Runs under the lock of
 * {@link SegmentLifecycle}. Normative text: {@code docs/format.md}, "Pruning".
 */
final class Pruning
{
    private static final long RETENTION_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    // The newest segment, and the one before it while the newest is filled.
    private static final long MIN_SEGMENTS = 2;

    private final SegmentStore store;
    private final Control control;
    private final Layout layout;
    private final ReadSource source;
    private final ReaderGate readers;
    private final Positions positions;
    private final TailWriter tail;
    private final SegmentSupply supply;
    private final Forcer forcer;
    private final Cursors cursors;
    private final NeededBySnapshots snapshots;
    private final FailureLatch latch;
    // When retention was last applied.
    private volatile long retainedOrdinal = -1;
    private volatile long nextRetentionNs;

    Pruning(
        final SegmentStore store,
        final Control control,
        final ReadSource source,
        final ReaderGate readers,
        final Positions positions,
        final TailWriter tail,
        final SegmentSupply supply,
        final Forcer forcer,
        final Cursors cursors,
        final NeededBySnapshots snapshots,
        final FailureLatch latch)
    {
        this.store = store;
        this.control = control;
        this.source = source;
        this.readers = readers;
        this.positions = positions;
        this.tail = tail;
        this.supply = supply;
        this.forcer = forcer;
        layout = new Layout(source.segmentLength());
        this.cursors = cursors;
        this.snapshots = snapshots;
        this.latch = latch;
    }

    void prune(final long sequence) throws IOException
    {
        // What waits in a write window may begin the newest segment.
        tail.writeUpTo(positions.appendedPosition());
        final long ordinal = ordinalOf(sequence, newestOrdinal());
        // A segment must not be dropped while its fsync is pending. Only these: a stream completes more all the time.
        while (forcer.forceComplete(ordinal))
        {
            latch.check();
        }
        startAt(ordinal);
    }

    /**
     * Whether retention may have something to drop. Only a roll adds a segment, but time passes and cursors advance
     * without one. Needs no lock.
     */
    boolean isRetentionDue()
    {
        return newestOrdinal() != retainedOrdinal || System.nanoTime() - nextRetentionNs >= 0;
    }

    boolean retain(final Retention retention, final long nowMs) throws IOException
    {
        final long newest = newestOrdinal();
        final long added = retainedOrdinal < 0 ? 0 : Math.max(0, newest - retainedOrdinal);
        retainedOrdinal = newest;
        nextRetentionNs = System.nanoTime() + RETENTION_INTERVAL_NS;
        final long ordinal = oldestKept(retention, nowMs, newest, added);
        if (ordinal <= firstOrdinal())
        {
            cursors.heldBack(0, false, nowMs);
            return false;
        }

        final long bySnapshots = snapshots.firstSequence();
        // Excludes creating a cursor or moving one back until the older segments are dropped.
        control.hold();
        try
        {
            final long byCursors = retention.isRespectingCursors() ? cursors.oldestNeeded() : Long.MAX_VALUE;
            final long kept = firstNeeded(Math.min(byCursors, bySnapshots), ordinal, newest);
            cursors.heldBack((ordinal - kept) * layout.segmentLength, bySnapshots < byCursors, nowMs);
            return startAt(kept);
        }
        finally
        {
            control.release();
        }
    }

    /**
     * @param added how many segments the journal has gained since retention was last applied.
     */
    private long oldestKept(final Retention retention, final long nowMs, final long newest, final long added)
        throws IOException
    {
        long ordinal = firstOrdinal();
        if (Long.MAX_VALUE != retention.maxBytes())
        {
            ordinal = oldestOf(Math.max(MIN_SEGMENTS, retention.maxBytes() / layout.segmentLength), newest);
        }
        if (Long.MAX_VALUE != retention.maxAgeMs())
        {
            // One more than were added: enough to catch up, while a clock that is wrong for a moment costs little.
            final long limit = Math.min(newest, firstOrdinal() + added + 1);
            try (FrameCursor cursor = cursor())
            {
                while (ordinal < limit && nowMs - endMs(ordinal, newest, nowMs, cursor) >= retention.maxAgeMs())
                {
                    ordinal++;
                }
            }
        }

        return Math.min(ordinal, layout.ordinal(positions.forcedPosition()));
    }

    /** The oldest of so many segments that are there: those that were truncated as a whole take no space. */
    private long oldestOf(final long count, final long newest)
    {
        final History history = history();
        long left = count - 1;
        long ordinal = newest;
        while (left > 0 && ordinal > firstOrdinal())
        {
            ordinal--;
            left -= history.isDead(layout.position(ordinal, 0), layout.segmentLength) ? 0 : 1;
        }
        return ordinal;
    }

    /**
     * When the next segment was started, at the latest. The clock may have been wrong for a moment: a time later than
     * now counts for nothing, since a segment is older than any that follows it; and a segment did not end before it
     * was started.
     */
    private long endMs(final long ordinal, final long newest, final long nowMs, final FrameCursor cursor)
        throws IOException
    {
        long endMs = timeMs(ordinal + 1, cursor);
        for (long distance = 2; endMs > nowMs && ordinal + distance / 2 < newest; distance *= 2)
        {
            endMs = timeMs(Math.min(newest, ordinal + distance), cursor);
        }
        if (nowMs - endMs > 0)
        {
            final long startMs = startMs(ordinal, cursor);
            return startMs <= nowMs ? Math.max(startMs, endMs) : endMs;
        }

        return endMs;
    }

    private long startMs(final long ordinal, final FrameCursor cursor) throws IOException
    {
        try
        {
            return timeMs(ordinal, cursor);
        }
        catch (final CorruptJournalException ex)
        {
            // Reported by a reader. It must not keep the segment from being dropped.
            return Long.MIN_VALUE;
        }
    }

    private long timeMs(final long ordinal, final FrameCursor cursor) throws IOException
    {
        return source.index().firstMark(ordinal, history(), cursor).timeMs();
    }

    /**
     * The segment of the first record that is still needed, up to the given one.
     */
    private long firstNeeded(final long needed, final long ordinal, final long newest) throws IOException
    {
        if (Long.MAX_VALUE == needed)
        {
            return ordinal;
        }

        return needed <= history().startSequence ? firstOrdinal() : Math.min(ordinal, ordinalOf(needed, newest));
    }

    private long ordinalOf(final long sequence, final long newest) throws IOException
    {
        try (FrameCursor cursor = cursor())
        {
            return source.index().find(
                SegmentIndex.Key.SEQUENCE, sequence, firstOrdinal(), newest, history(), cursor);
        }
    }

    /**
     * Makes a segment the first one: records the new start durably, and only then drops the segments before it.
     */
    private boolean startAt(final long wanted) throws IOException
    {
        final long first = firstOrdinal();
        final long ordinal = firstNotDead(wanted);
        if (ordinal <= first)
        {
            return false;
        }

        final SegmentIndex.FirstMark mark;
        try (FrameCursor cursor = cursor())
        {
            mark = source.index().firstMark(ordinal, history(), cursor);
        }

        // Excludes saving a cursor at a record that is gone, as long as the history still shows it.
        control.hold();
        try
        {
            control.change("prune", true, (state) -> state.with(
                state.history.startingAt(layout.position(ordinal, 0), mark.sequence(), mark.previousTerm())));
            control.publish();
        }
        finally
        {
            control.release();
        }
        source.releaseSegments();
        drop(first, ordinal);
        return true;
    }

    private long firstNotDead(final long wanted)
    {
        long ordinal = wanted;
        while (history().isDead(layout.position(ordinal, 0), layout.segmentLength))
        {
            ordinal++;
        }
        return ordinal;
    }

    private void drop(final long from, final long to) throws IOException
    {
        // A file is recycled only if no reader is inside, since its bytes change. A reader that enters later finds the
        // records gone: it enters before it reads the state, and the new state was published before this check.
        final boolean isUnread = supply.isRecycling() && !readers.isAnyInside();
        for (long ordinal = from; ordinal < to; ordinal++)
        {
            if (!isUnread || !supply.recycle(ordinal))
            {
                store.delete(JournalFiles.segment(ordinal));
            }
        }
        DirectoryForce.force(store, latch);
    }

    private History history()
    {
        return control.history();
    }

    private long firstOrdinal()
    {
        return layout.ordinal(history().startPosition);
    }

    /**
     * The newest segment whose first watermark frame is written.
     */
    private long newestOrdinal()
    {
        final long written = layout.place(positions.writtenPosition());
        final Cut newest = history().newest();
        // As long as nothing is written behind a cut, its segments have none.
        final long end = newest.to() == written ? newest.from() : written;
        return Math.max(firstOrdinal(), layout.ordinal(end - SegmentHeader.LENGTH - 1));
    }

    private static FrameCursor cursor()
    {
        return new FrameCursor(Window.copying(Block.LENGTH));
    }
}
