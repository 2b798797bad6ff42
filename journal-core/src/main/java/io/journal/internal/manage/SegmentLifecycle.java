package io.journal.internal.manage;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.ReadLimit;
import io.journal.Retention;
import io.journal.internal.files.DirectoryForce;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.read.TruncationHistory;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.RecordWalk;
import io.journal.internal.read.SegmentIndex;
import io.journal.internal.recover.Truncation;
import io.journal.internal.write.ExclusiveChange;
import io.journal.internal.write.ForcedListeners;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentAllocator;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.Window;
import org.agrona.concurrent.EpochClock;

/**
 * Where the journal starts, and what was cut off its end: drops the oldest segments and cuts the newest records, one
 * such change at a time.
 */
public final class SegmentLifecycle
{
    private static final long RETENTION_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);
    // The newest one, and the one before it while that is filled.
    private static final long MIN_SEGMENTS = 2;

    private final SegmentStore store;
    private final Layout layout;
    private final MarkFile markFile;
    private final ReadSource source;
    private final TruncationHistory truncations;
    private final SegmentAllocator allocator;
    private final Forcer forcer;
    private final TailWriter tail;
    private final Positions positions;
    private final ReaderGate readers;
    private final Cursors cursors;
    private final ForcedListeners listeners;
    private final FailureLatch latch;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile JournalMeta meta;
    private long retainedOrdinal = -1;
    private long nextRetentionNs;

    public SegmentLifecycle(
        final SegmentStore store,
        final JournalMeta meta,
        final MarkFile markFile,
        final ReadSource source,
        final TruncationHistory truncations,
        final SegmentAllocator allocator,
        final Forcer forcer,
        final TailWriter tail,
        final Positions positions,
        final ReaderGate readers,
        final Cursors cursors,
        final ForcedListeners listeners,
        final FailureLatch latch)
    {
        this.store = store;
        this.meta = meta;
        this.markFile = markFile;
        this.source = source;
        this.truncations = truncations;
        this.allocator = allocator;
        this.forcer = forcer;
        this.tail = tail;
        this.positions = positions;
        this.readers = readers;
        this.cursors = cursors;
        this.listeners = listeners;
        this.latch = latch;
        layout = new Layout(meta.segmentLength);
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
     * Drops the segments whose records are all below one.
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
                // What goes must not be waiting to be forced.
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
     * Drops what is not to be kept any longer; does nothing while another change is under way.
     *
     * @param oldestNeeded tells the oldest sequence that somebody has still to read.
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
        // Only a roll changes what there is; time passes, and cursors move on, without one.
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
     * Cuts the records behind one.
     *
     * @param appenders which are kept from appending meanwhile.
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
     * Holds readers off and takes the lock. Readers come first, since a handler may be waiting for the lock; and they
     * are not held while it is waited for, since that can take as long as a backup.
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
     * Keeps the history as it is, until {@link #release()}.
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
     * Waits for a change that is under way. The journal is closed already: no other follows.
     */
    public void finish()
    {
        hold();
        release();
    }

    /**
     * The newest segment whose first mark is written.
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

        // No cursor is made or goes back meanwhile.
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
     * When a segment was begun.
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
     * Makes a segment the first one: says so durably, and only then drops those before it.
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

        // Opened before: if that cannot be done, as without a descriptor, storage has not failed.
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
        // Who reads there now has to be out before the bytes change; who comes later is told that they are gone: a
        // reader says that it is inside before it looks at the state, which was published here before this is asked.
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
                // So that all that is left is forced when the cut is complete.
                forcer.force();
                forcer.whileForcing("truncate", () -> cut(position, sequence + 1));
                listeners.cutAfter(sequence);
            }
            finally
            {
                cursors.release();
            }
            // The mark at the new end is on the device before anything can follow it.
            forcer.force();
        }
    }

    /**
     * Where the frame of a record begins.
     */
    private long positionOf(final long sequence) throws IOException
    {
        try (RecordWalk walk = new RecordWalk(source, ReadLimit.WRITTEN))
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

        allocator.halt();
        final JournalMeta cut = Truncation.cut(
            store,
            meta,
            markFile,
            ordinals(),
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
        truncations.add(cut.state.epoch, cut.state.cut);
        meta = cut;
        allocator.start(ordinal + 1, false);
    }

    private List<Long> ordinals() throws IOException
    {
        final List<Long> ordinals = new ArrayList<>();
        for (final String name : store.list())
        {
            if (JournalFiles.isSegment(name))
            {
                ordinals.add(JournalFiles.ordinal(name));
            }
        }
        Collections.sort(ordinals);

        return ordinals;
    }

    private static FrameCursor cursor()
    {
        return new FrameCursor(Window.copying(Block.LENGTH));
    }
}
