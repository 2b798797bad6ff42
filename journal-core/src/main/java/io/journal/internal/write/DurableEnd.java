// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

import io.journal.internal.control.ControlFile;
import io.journal.internal.control.WriterFence;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.observe.Events;
import io.journal.internal.segment.Segment;
import org.agrona.CloseHelper;

/**
 * The durable end of the journal: fsyncs segments, oldest first, and advances the durable watermark.
 * <p>
 * A failed fsync is never retried: the journal has failed. Guarded by the lock of the {@link Forcer}, except
 * {@link #add}, {@link #backlog} and {@link #isClosed}.
 */
final class DurableEnd
{
    // Segments that are not durable up to their end, the newest last; empty once the journal is closed.
    private final Queue<Segment> segments = new ConcurrentLinkedQueue<>();
    private final Positions positions;
    private final ControlFile control;
    private final FailureLatch latch;
    private final WriterFence fence;
    // Null if segments are not mapped, because a failed write throws.
    private final ReadBack readBack;
    private final Waiters waiters;
    final ForceTimes times = new ForceTimes();
    private TailWriter tail;
    private long term;

    DurableEnd(
        final Positions positions,
        final ControlFile control,
        final FailureLatch latch,
        final WriterFence fence,
        final ReadBack readBack,
        final Waiters waiters)
    {
        this.readBack = readBack;
        this.waiters = waiters;
        this.positions = positions;
        this.control = control;
        this.latch = latch;
        this.fence = fence;
    }

    /** Starts with a segment. */
    void start(final TailWriter tail, final Segment segment, final long term)
    {
        this.tail = tail;
        segments.add(segment);
        restart(term);
    }

    /** Continues where a truncation begins a term. All segments but the newest are durable up to their ends. */
    void restart(final long term)
    {
        this.term = term;
        if (null != readBack)
        {
            readBack.start((int)(tail.position() - segments.peek().basePosition), tail.nextSequence());
        }
    }

    /**
     * Adds the next segment on a roll. The appender no longer writes to the segments before it, so they may be closed.
     */
    void add(final Segment next)
    {
        segments.add(next);
    }

    int backlog()
    {
        return segments.size();
    }

    /** Ordinal of the oldest segment that is not durable up to its end. Thread-safe. */
    long oldestOrdinal()
    {
        final Segment oldest = segments.peek();
        return null == oldest ? Long.MAX_VALUE : oldest.ordinal;
    }

    boolean isClosed()
    {
        return segments.isEmpty();
    }

    /** Throws if no later fsync can cover a record. */
    void checkForcible(final long sequence)
    {
        final boolean isFailed = latch.isFailed();
        final boolean isClosed = isClosed();
        final boolean isTruncated = positions.appendedSequence() < sequence;
        // Checked last: the awaited fsync may have completed before the failure, close or truncation.
        if ((isFailed || isClosed || isTruncated) && positions.forcedSequence() < sequence)
        {
            latch.checkStorage();
            if (isClosed)
            {
                throw new IllegalStateException("journal was closed before it was forced: sequence=" + sequence);
            }
            throw truncated(sequence);
        }
    }

    static IllegalStateException truncated(final long sequence)
    {
        return new IllegalStateException("record was truncated while it was waited for: sequence=" + sequence);
    }

    /** Fsyncs all that is appended. */
    void forceAppended()
    {
        latch.checkStorage();
        // Compares both, because an earlier fsync may have read its sequence just before the record was published.
        if (positions.forcedPosition() >= positions.appendedPosition() &&
            positions.forcedSequence() >= positions.appendedSequence())
        {
            return;
        }

        checkOpen();
        // The sequence is read first, so that the position covers at least the sequence.
        final long sequence = positions.appendedSequence();
        final long position = positions.appendedPosition();
        tail.writeUpTo(position);
        while (segments.peek().endPosition() < position)
        {
            forceOldest();
        }

        final Segment newest = segments.peek();
        final int to = (int)(position - newest.basePosition);
        // The fsyncs of earlier segments may have advanced the durable sequence beyond this one.
        force(
            newest, Math.min(newest.length, to + FrameHeader.ALIGNMENT), to, position,
            Math.max(sequence, positions.forcedSequence()));
    }

    /** Fsyncs the oldest segment if it is complete. Another thread may have fsynced it or closed the journal. */
    void forceComplete()
    {
        latch.checkStorage();
        if (segments.size() >= 2)
        {
            forceOldest();
        }
    }

    private void forceOldest()
    {
        // The published end may still be in this segment while the appender is already in the next.
        final long appended = positions.appendedPosition();
        final Iterator<Segment> iterator = segments.iterator();
        final Segment oldest = iterator.next();
        final long position = Math.min(appended, oldest.endPosition());
        tail.writeUpTo(position);
        release(oldest);
        force(oldest, oldest.length, oldest.length, position, iterator.next().firstSequence() - 1);
        if (null != readBack)
        {
            readBack.roll(SegmentHeader.LENGTH);
        }
        segments.remove();
        oldest.close();
    }

    private void release(final Segment segment)
    {
        try
        {
            segment.file.release();
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("force", ex);
        }
    }

    /**
     * Fsyncs a segment and advances the durable watermark. Any exception counts as a failed fsync.
     *
     * @param end offset at which the frames end, before {@code to}.
     */
    private void force(
        final Segment segment, final int to, final int end, final long position, final long sequence)
    {
        final int from = (int)Math.max(0, positions.forcedPosition() - segment.basePosition);
        final Object event = Events.INSTANCE.begin(Events.Kind.FORCE);
        try
        {
            control.forceBegins();
            if (from < to)
            {
                final long startNs = System.nanoTime();
                segment.file.force(from, to);
                times.add(System.nanoTime() - startNs);
                if (null != readBack)
                {
                    readBack.check(segment, end);
                }
            }
            // Checked before storing, because another writer may have stored its own watermark since.
            control.checkOwned();
            control.forceReturned();
            control.forced(term, position, sequence + 1);
            // Checked between storing and acknowledging: a writer that takes over sees every record acknowledged here.
            control.checkOwned();
            positions.forced(position, sequence);
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("force", ex);
        }
        positions.forcedWakeup.moved();
        if (from < to && null != event)
        {
            // Waiters are counted only for a recorded event, because there may be many.
            Events.INSTANCE.endForce(event, latch.journal(), segment, from, to, waiters.count());
        }
    }

    /**
     * Makes a durable change beside the records under the rules of an fsync: any exception fails the journal.
     *
     * @param what names the change in the exception if it fails.
     */
    void change(final String what, final ExclusiveChange change)
    {
        latch.checkStorage();
        checkOpen();
        fence.checkBefore(what);
        try
        {
            control.forceBegins();
            change.make();
            control.checkOwned();
            control.forceReturned();
            control.checkOwned();
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception(what, ex);
        }
    }

    void checkOpen()
    {
        if (isClosed())
        {
            throw new IllegalStateException("journal is closed");
        }
    }

    void close()
    {
        try
        {
            CloseHelper.closeAll(segments);
        }
        finally
        {
            CloseHelper.quietClose(readBack);
            segments.clear();
            CloseHelper.quietClose(control);
        }
    }
}
