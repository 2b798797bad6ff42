package io.journal.internal.manage;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.CorruptJournalException;
import io.journal.Retention;
import io.journal.internal.files.DirectoryForce;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.SegmentIndex;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Window;
import io.journal.internal.segment.Term;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentSupply;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentFile;
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
    private final AtomicReference<JournalMeta> meta;
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
        final AtomicReference<JournalMeta> meta,
        final WriteRoom write,
        final ReadRoom read,
        final Cursors cursors,
        final NeededBySnapshots snapshots,
        final FailureLatch latch)
    {
        this.store = store;
        this.meta = meta;
        layout = new Layout(meta.get().segmentLength);
        source = read.source();
        readers = read.readers();
        positions = write.positions();
        tail = write.tail();
        supply = write.supply();
        forcer = write.forcer();
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
        cursors.hold();
        try
        {
            final long byCursors = retention.isRespectingCursors() ? cursors.oldestNeeded() : Long.MAX_VALUE;
            final long kept = firstNeeded(Math.min(byCursors, bySnapshots), ordinal, newest);
            cursors.heldBack((ordinal - kept) * layout.segmentLength, bySnapshots < byCursors, nowMs);
            return startAt(kept);
        }
        finally
        {
            cursors.release();
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
            ordinal =
                Math.max(ordinal, newest + 1 - Math.max(MIN_SEGMENTS, retention.maxBytes() / layout.segmentLength));
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
        return source.index().firstTimeMs(ordinal, source, state().epoch, cursor);
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

        return needed <= state().startSequence ? firstOrdinal() : Math.min(ordinal, ordinalOf(needed, newest));
    }

    private long ordinalOf(final long sequence, final long newest) throws IOException
    {
        try (FrameCursor cursor = cursor())
        {
            return source.index().find(
                SegmentIndex.Key.SEQUENCE, sequence, firstOrdinal(), newest, source, state().epoch, cursor);
        }
    }

    /**
     * Makes a segment the first one: records the new start durably, and only then drops the segments before it.
     */
    private boolean startAt(final long ordinal) throws IOException
    {
        final long first = firstOrdinal();
        if (ordinal <= first)
        {
            return false;
        }

        final long sequence;
        try (FrameCursor cursor = cursor())
        {
            sequence = source.index().firstSequence(ordinal, source, state().epoch, cursor);
        }

        final long term = termOf(sequence - 1);
        // Opened first: a failure to open, as with file-descriptor exhaustion, is no failure of storage.
        try (SegmentFile file = JournalMeta.open(store))
        {
            forcer.whileForcing(
                "prune",
                () -> meta.set(
                    meta.get().with(file, state().startingAt(layout.position(ordinal, 0), sequence, term))));
        }
        source.releaseSegments();
        drop(first, ordinal);
        return true;
    }

    /** Damage must not keep a segment from being dropped. */
    private long termOf(final long sequence)
    {
        try
        {
            return source.terms().of(sequence);
        }
        catch (final CorruptJournalException ex)
        {
            return Term.NONE;
        }
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

    private JournalMeta.State state()
    {
        return meta.get().state;
    }

    private long firstOrdinal()
    {
        return layout.ordinal(state().startPosition);
    }

    /**
     * The newest segment whose first watermark frame is written.
     */
    private long newestOrdinal()
    {
        return Math.max(firstOrdinal(), layout.ordinal(positions.writtenPosition() - SegmentHeader.LENGTH - 1));
    }

    private static FrameCursor cursor()
    {
        return new FrameCursor(Window.copying(Block.LENGTH));
    }
}
