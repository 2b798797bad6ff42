package io.journal.internal.manage;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.Retention;
import io.journal.internal.files.DirectoryForce;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.files.SegmentSet;
import io.journal.internal.files.Window;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.RecordWalk;
import io.journal.internal.read.SegmentIndex;
import io.journal.internal.recover.Truncation;
import io.journal.internal.write.DurabilityListener;
import io.journal.internal.write.ExclusiveChange;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentAllocator;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * The journal's range: prunes the oldest segments and truncates the newest records, one such change at a time.
 */
public final class SegmentLifecycle
{
    private static final long RETENTION_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    // The newest segment, and the one before it while the newest is filled.
    private static final long MIN_SEGMENTS = 2;

    private final SegmentStore store;
    private final Layout layout;
    private final MarkFile markFile;
    private final ReadSource source;
    private final SegmentAllocator allocator;
    private final Forcer forcer;
    private final TailWriter tail;
    private final Positions positions;
    private final ReaderGate readers;
    private final Cursors cursors;
    private final DurabilityListener listener;
    private final FailureLatch latch;
    // Excludes one another: prune, retain, truncateAfter, and backups and snapshot operations, which call hold().
    private final OrderedLock lock;
    private volatile JournalMeta meta;
    private long retainedOrdinal = -1;
    private long nextRetentionNs;

    public SegmentLifecycle(
        final SegmentStore store,
        final JournalMeta meta,
        final MarkFile markFile,
        final ReadSource source,
        final SegmentAllocator allocator,
        final Forcer forcer,
        final TailWriter tail,
        final Positions positions,
        final ReaderGate readers,
        final Cursors cursors,
        final DurabilityListener listener,
        final FailureLatch latch)
    {
        this.store = store;
        this.meta = meta;
        this.markFile = markFile;
        this.source = source;
        this.allocator = allocator;
        this.forcer = forcer;
        this.tail = tail;
        this.positions = positions;
        this.readers = readers;
        this.cursors = cursors;
        this.listener = listener;
        this.latch = latch;
        lock = new OrderedLock(LockLevel.MANAGE, latch);
        layout = new Layout(meta.segmentLength);
    }

    public ReaderGate readers()
    {
        return readers;
    }

    public JournalMeta meta()
    {
        return meta;
    }

    public long firstSequence()
    {
        return meta.state.startSequence;
    }

    private long firstOrdinal()
    {
        return layout.ordinal(meta.state.startPosition);
    }

    /**
     * Drops the segments whose records are all below a sequence.
     *
     * @return the first sequence that is left.
     */
    public long prune(final long sequence)
    {
        lock.lock();
        try
        {
            latch.check();
            final long newest = newestOrdinal();
            if (sequence < 1 || sequence > positions.appendedSequence() + 1)
            {
                throw new IllegalArgumentException(
                    "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + firstSequence() +
                        ", lastSequence=" + positions.appendedSequence());
            }

            if (sequence > firstSequence())
            {
                // A segment must not be dropped while its fsync is pending.
                while (forcer.forceComplete())
                {
                    latch.check();
                }
                startAt(ordinalOf(sequence, newest));
            }

            return firstSequence();
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot prune: sequence=" + sequence + "; cause=" + ex, ex);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Drops the segments that retention does not keep; does nothing while another change is in progress.
     *
     * @param oldestNeeded supplies the oldest sequence that a consumer has still to read.
     * @return whether something was dropped.
     */
    public boolean retain(final Retention retention, final LongSupplier oldestNeeded, final EpochClock clock)
        throws IOException
    {
        if (retention.isNone())
        {
            return false;
        }

        final long nowNs = System.nanoTime();
        // Only a roll adds a segment, but time passes and cursors advance without one.
        if (newestOrdinal() == retainedOrdinal && nowNs - nextRetentionNs < 0 || !lock.tryLock())
        {
            return false;
        }

        try
        {
            final long newest = newestOrdinal();
            retainedOrdinal = newest;
            nextRetentionNs = nowNs + RETENTION_INTERVAL_NS;
            return latch.isOpen() && retain(retention, oldestNeeded, clock.time(), newest);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Truncates the records behind a sequence.
     *
     * @param appenders are excluded from appending meanwhile.
     */
    public void truncateAfter(final long sequence, final ExclusiveChange.Gate appenders)
    {
        holdReaders();
        try
        {
            appenders.exclusively(() -> cutAfter(sequence));
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot truncate: sequence=" + sequence + "; cause=" + ex, ex);
        }
        catch (final InternalError ex)
        {
            // A page of a mapped segment cannot be read.
            throw latch.fail("truncate", ex);
        }
        finally
        {
            lock.unlock();
            readers.release();
        }
    }

    /**
     * Quiesces readers, then takes the lock: in this order, since a handler may be waiting for the lock. Readers are
     * released while this thread waits for the lock, since that can take as long as a backup.
     */
    private void holdReaders()
    {
        readers.hold();
        while (!lock.tryLock())
        {
            readers.release();
            lock.lock();
            lock.unlock();
            readers.hold();
        }
    }

    /**
     * Excludes prune, retention and truncation until {@link #release()}.
     */
    public void hold()
    {
        lock.lock();
    }

    public void release()
    {
        lock.unlock();
    }

    /**
     * Waits for a change in progress. The journal is closed already, so no other follows.
     */
    public void finish()
    {
        hold();
        release();
    }

    /**
     * The newest segment whose first watermark frame is written.
     */
    private long newestOrdinal()
    {
        return Math.max(firstOrdinal(), layout.ordinal(positions.writtenPosition() - SegmentHeader.LENGTH - 1));
    }

    private boolean retain(
        final Retention retention, final LongSupplier oldestNeeded, final long nowMs, final long newest)
        throws IOException
    {
        final long ordinal = oldestKept(retention, nowMs, newest);
        if (ordinal <= firstOrdinal())
        {
            return false;
        }

        // Excludes creating a cursor or moving one back until the older segments are dropped.
        cursors.hold();
        try
        {
            return startAt(firstNeeded(retention, oldestNeeded, ordinal, newest));
        }
        finally
        {
            cursors.release();
        }
    }

    private long oldestKept(final Retention retention, final long nowMs, final long newest) throws IOException
    {
        long ordinal = firstOrdinal();
        if (Long.MAX_VALUE != retention.maxBytes())
        {
            ordinal =
                Math.max(ordinal, newest + 1 - Math.max(MIN_SEGMENTS, retention.maxBytes() / layout.segmentLength));
        }
        if (Long.MAX_VALUE != retention.maxAgeMs())
        {
            while (ordinal < newest && nowMs - beginOf(ordinal + 1) >= retention.maxAgeMs())
            {
                ordinal++;
            }
        }

        return Math.min(ordinal, layout.ordinal(positions.forcedPosition()));
    }

    private long firstNeeded(
        final Retention retention, final LongSupplier oldestNeeded, final long ordinal, final long newest)
        throws IOException
    {
        if (!retention.isRespectingCursors())
        {
            return ordinal;
        }

        final long needed = oldestNeeded.getAsLong();
        return needed <= firstSequence() ? firstOrdinal() : Math.min(ordinal, ordinalOf(needed, newest));
    }

    private long ordinalOf(final long sequence, final long newest) throws IOException
    {
        try (FrameCursor cursor = cursor())
        {
            return source.index().find(
                SegmentIndex.Key.SEQUENCE, sequence, firstOrdinal(), newest, source, meta.state.epoch, cursor);
        }
    }

    /**
     * Time of a segment's first watermark frame, in epoch milliseconds.
     */
    private long beginOf(final long ordinal) throws IOException
    {
        try (FrameCursor cursor = cursor())
        {
            cursor.attach(source.openSegment(ordinal));
            final FrameCursor.Verdict verdict = cursor.examine(
                SegmentHeader.LENGTH, SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH, FrameCursor.ANY_SEQUENCE);
            if (!cursor.isMark(verdict))
            {
                throw new CorruptJournalException(
                    "segment does not begin with a mark: " + cursor.describe(verdict, FrameCursor.ANY_SEQUENCE));
            }

            return cursor.markTimeMs();
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
            sequence = source.index().firstSequence(ordinal, source, meta.state.epoch, cursor);
        }

        // Opened first: a failure to open, as with file-descriptor exhaustion, is no failure of storage.
        try (SegmentFile file = JournalMeta.open(store))
        {
            forcer.whileForcing(
                "prune",
                () -> meta = meta.with(file, meta.state.startingAt(layout.position(ordinal, 0), sequence)));
        }
        drop(first, ordinal);
        return true;
    }

    private void drop(final long from, final long to) throws IOException
    {
        // A file is recycled only if no reader is inside, since its bytes change. A reader that enters later finds the
        // records gone: it enters before it reads the state, and the new state was published before this check.
        final boolean isUnread = allocator.isRecycling() && !readers.isAnyInside();
        for (long ordinal = from; ordinal < to; ordinal++)
        {
            if (!isUnread || !allocator.recycle(ordinal))
            {
                store.delete(JournalFiles.segment(ordinal));
            }
        }
        DirectoryForce.force(store, latch);
    }

    private void cutAfter(final long sequence) throws IOException
    {
        latch.check();
        final long last = positions.appendedSequence();
        if (sequence < firstSequence() - 1 || sequence > last)
        {
            throw new IllegalArgumentException(
                "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + firstSequence() +
                    ", lastSequence=" + last);
        }

        if (sequence == last)
        {
            forcer.force();
        }
        else
        {
            final long position = positionOf(sequence + 1);
            cursors.hold();
            try
            {
                // So that all remaining records are durable when the truncation is complete.
                forcer.force();
                forcer.whileForcing("truncate", () -> cut(position, sequence + 1));
                listener.truncatedAfter(sequence);
            }
            finally
            {
                cursors.release();
            }
            // The watermark frame at the new end is durable before anything can follow it.
            forcer.force();
        }
    }

    /**
     * Position of a record's frame.
     */
    private long positionOf(final long sequence) throws IOException
    {
        try (RecordWalk walk = new RecordWalk(source, ReadSource.End.WRITTEN))
        {
            walk.seek().to(sequence);
            if (walk.isInBatch())
            {
                throw new IllegalArgumentException(
                    "record is in the middle of a batch, which stays whole: sequence=" + sequence);
            }

            return walk.position();
        }
    }

    private void cut(final long position, final long nextSequence) throws IOException
    {
        final long ordinal = layout.ordinal(position);
        final long end = tail.position();
        final long zeroEnd = layout.position(ordinal + 1, 0);

        allocator.close();
        final JournalMeta cut = Truncation.cut(
            store,
            meta,
            markFile,
            SegmentSet.ordinals(store),
            new JournalMeta.Cut(position, nextSequence, Math.min(end, zeroEnd)),
            positions.forcedPosition(),
            cursors.files());

        final Segment segment =
            Segment.open(store, SegmentStore.Access.WRITE, true, meta.uuid, ordinal, layout.segmentLength);
        try
        {
            segment.firstSequence(nextSequence);
            tail.start(segment, layout.offset(position), nextSequence, cut.state.epoch);
        }
        catch (final Throwable ex)
        {
            segment.close();
            throw ex;
        }
        meta = cut;
        allocator.start(ordinal + 1, false);
    }

    private static FrameCursor cursor()
    {
        return new FrameCursor(Window.copying(Block.LENGTH));
    }
}
