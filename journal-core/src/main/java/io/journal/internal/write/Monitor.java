package io.journal.internal.write;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.journal.internal.files.CounterSource;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.MarkFile;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;

/**
 * Counters of the writer: read by any thread of this process, and published in {@code journal.mark} for others.
 * Counting and publishing are guarded by the lock of the {@link Forcer}.
 */
public final class Monitor implements CounterSource, AutoCloseable
{
    private final Positions positions;
    private final FailureLatch latch;
    private final SegmentSupply supply;
    private final Forcer forcer;
    private final Layout layout;
    private final LongSupplier startPosition;
    private final AtomicLong forces = new AtomicLong();
    private final AtomicLong forceTimeNs = new AtomicLong();
    private final AtomicLong maxForceTimeNs = new AtomicLong();
    private final long[] values = new long[CounterSource.COUNT];
    private volatile boolean isClosed;

    public Monitor(
        final Positions positions,
        final FailureLatch latch,
        final SegmentSupply supply,
        final Forcer forcer,
        final Layout layout,
        final LongSupplier startPosition)
    {
        this.positions = positions;
        this.latch = latch;
        this.supply = supply;
        this.forcer = forcer;
        this.layout = layout;
        this.startPosition = startPosition;
    }

    /** Counts an fsync. */
    void forced(final long startNs)
    {
        final long durationNs = System.nanoTime() - startNs;
        forces.lazySet(forces.get() + 1);
        forceTimeNs.lazySet(forceTimeNs.get() + durationNs);
        maxForceTimeNs.lazySet(Math.max(maxForceTimeNs.get(), durationNs));
    }

    /** Publishes the current values. Call just after the file was found whole. */
    void publish(final MarkFile markFile)
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
            // The file was cut short meanwhile: the caller's next check of it says so.
        }
    }

    @Override
    public long get(final int counter)
    {
        return switch (counter)
        {
            case CounterSource.APPENDED_POSITION -> positions.appendedPosition();
            case CounterSource.APPENDED_SEQUENCE -> positions.appendedSequence();
            case CounterSource.WRITTEN_POSITION -> positions.writtenPosition();
            case CounterSource.WRITTEN_SEQUENCE -> positions.writtenSequence();
            case CounterSource.FORCED_POSITION -> positions.forcedPosition();
            case CounterSource.FORCED_SEQUENCE -> positions.forcedSequence();
            case CounterSource.SEGMENTS -> segments();
            case CounterSource.FORCES -> forces.get();
            case CounterSource.FORCE_TIME_NS -> forceTimeNs.get();
            case CounterSource.MAX_FORCE_TIME_NS -> maxForceTimeNs.get();
            case CounterSource.WAITERS -> forcer.waiters();
            case CounterSource.REFUSALS -> supply.refusals();
            case CounterSource.PREPARED_SEGMENTS -> supply.isPrepared() ? 1 : 0;
            case CounterSource.FAILED -> latch.isFailed() ? 1 : 0;
            default -> throw new IllegalArgumentException("no such counter: counter=" + counter);
        };
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

    /** What is published from now on are the last values. */
    @Override
    public void close()
    {
        isClosed = true;
    }

    private long segments()
    {
        // Excludes a segment that begins at the end: nothing of it is appended.
        final long last = layout.ordinal(positions.appendedPosition() - SegmentHeader.LENGTH - 1);
        return Math.max(0, last - layout.ordinal(startPosition.getAsLong())) + 1;
    }
}
