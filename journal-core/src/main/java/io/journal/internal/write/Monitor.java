package io.journal.internal.write;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;
import java.util.function.LongSupplier;

import io.journal.JournalLockedException;
import io.journal.internal.files.CounterSource;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.MarkFile;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;

/**
 * Counters of the writer, published in {@code journal.mark} for other processes.
 */
public final class Monitor implements CounterSource, AutoCloseable
{
    private final Positions positions;
    private final FailureLatch latch;
    private final SegmentAllocator allocator;
    private final Layout layout;
    private final LongSupplier startPosition;
    private final IntSupplier waiters;
    private final AtomicLong forces = new AtomicLong();
    private final AtomicLong forceTimeNs = new AtomicLong();
    private final AtomicLong maxForceTimeNs = new AtomicLong();
    private final long[] values = new long[CounterSource.COUNT];
    // Null once publishing has ended: the file's memory is gone or cannot be trusted.
    private MarkFile markFile;
    private volatile boolean isClosed;

    public Monitor(
        final Positions positions,
        final FailureLatch latch,
        final SegmentAllocator allocator,
        final Layout layout,
        final MarkFile markFile,
        final LongSupplier startPosition,
        final IntSupplier waiters)
    {
        this.positions = positions;
        this.latch = latch;
        this.allocator = allocator;
        this.layout = layout;
        this.markFile = markFile;
        this.startPosition = startPosition;
        this.waiters = waiters;
    }

    /**
     * Counts an fsync. For one thread at a time.
     */
    void forced(final long startNs)
    {
        final long durationNs = System.nanoTime() - startNs;
        forces.lazySet(forces.get() + 1);
        forceTimeNs.lazySet(forceTimeNs.get() + durationNs);
        maxForceTimeNs.lazySet(Math.max(maxForceTimeNs.get(), durationNs));
    }

    /**
     * Publishes the current values, if the file is still whole and this writer's. Thread-safe.
     */
    public synchronized void refresh()
    {
        final MarkFile markFile = this.markFile;
        if (null != markFile)
        {
            try
            {
                markFile.checkOwned();
                publish();
                // If the file was cut short meanwhile, the fault surfaces here, not in later code.
                markFile.checkOwned();
            }
            catch (final IOException | JournalLockedException | InternalError ignore)
            {
                giveUp();
            }
        }
    }

    /**
     * Publishes the current values. Call just after the file was found whole.
     */
    synchronized void publish()
    {
        if (null != markFile)
        {
            for (int i = 0; i < values.length; i++)
            {
                values[i] = get(i);
            }
            try
            {
                markFile.counters(values, !isClosed, System.currentTimeMillis());
            }
            catch (final InternalError ignore)
            {
                giveUp();
            }
        }
    }

    @Override
    public long get(final int counter)
    {
        switch (counter)
        {
            case CounterSource.APPENDED_POSITION:
                return positions.appendedPosition();

            case CounterSource.APPENDED_SEQUENCE:
                return positions.appendedSequence();

            case CounterSource.WRITTEN_POSITION:
                return positions.writtenPosition();

            case CounterSource.WRITTEN_SEQUENCE:
                return positions.writtenSequence();

            case CounterSource.FORCED_POSITION:
                return positions.forcedPosition();

            case CounterSource.FORCED_SEQUENCE:
                return positions.forcedSequence();

            case CounterSource.SEGMENTS:
                return segments();

            case CounterSource.FORCES:
                return forces.get();

            case CounterSource.FORCE_TIME_NS:
                return forceTimeNs.get();

            case CounterSource.MAX_FORCE_TIME_NS:
                return maxForceTimeNs.get();

            case CounterSource.WAITERS:
                return waiters.getAsInt();

            case CounterSource.REFUSALS:
                return allocator.refusals();

            case CounterSource.PREPARED_SEGMENTS:
                return allocator.isPrepared() ? 1 : 0;

            case CounterSource.FAILED:
                return latch.isFailed() ? 1 : 0;

            default:
                throw new IllegalArgumentException("no such counter: counter=" + counter);
        }
    }

    @Override
    public boolean isLive()
    {
        return !isClosed;
    }

    @Override
    public long timeMs()
    {
        return System.currentTimeMillis();
    }

    /**
     * Publishes for the last time.
     */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        refresh();
        markFile = null;
    }

    /**
     * Ends publishing: the file was cut short, or another writer uses it. The next fsync reports that.
     */
    private void giveUp()
    {
        markFile = null;
    }

    private long segments()
    {
        // Excludes a segment that begins at the end: nothing of it is appended.
        final long last = layout.ordinal(positions.appendedPosition() - SegmentHeader.LENGTH - 1);
        return Math.max(0, last - layout.ordinal(startPosition.getAsLong())) + 1;
    }
}
