// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import io.journal.JournalAppender;
import io.journal.RecordClaim;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.ForcePolicy;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.OrderedLock;
import org.agrona.DirectBuffer;

/**
 * Append path of a record, from any kind of memory, for one thread or for several that share it.
 */
public final class AppendPath
{
    private static final int IN_FRAMES = 0;

    private final TailWriter tail;
    private final Forcer forcer;
    private final FailureLatch latch;
    private final RecordWakeup appended;
    private final boolean isForcingEach;
    private final int maxRecordLength;
    private final int maxFrameLength;
    private final AppenderGate gate;
    private final AtomicReference<Boolean> sharing = new AtomicReference<>();
    // Held by a shared append, truncateAfter, roll and close, which exclude one another. An exclusive append does not
    // take it: its own thread truncates and rolls, and close waits for it at the gate.
    private final OrderedLock lock;
    private final ClaimedRecord claim;

    public AppendPath(
        final TailWriter tail,
        final Forcer forcer,
        final FailureLatch latch,
        final ForcePolicy policy,
        final int maxRecordLength,
        final int segmentLength)
    {
        this.tail = tail;
        this.forcer = forcer;
        this.latch = latch;
        appended = tail.appendedWakeup();
        isForcingEach = policy.isEveryRecord() || 0 == policy.intervalNs();
        maxFrameLength = Math.min(
            FrameHeader.LENGTH + FrameHeader.MAX_RECORD_LENGTH,
            segmentLength - SegmentHeader.LENGTH - FrameHeader.MARK_LENGTH);
        this.maxRecordLength = Math.min(maxRecordLength, maxFrameLength - FrameHeader.LENGTH);
        lock = new OrderedLock(OrderedLock.Level.APPENDER, latch);
        gate = new AppenderGate(latch);
        claim = new ClaimedRecord(this, gate);
    }

    /**
     * Fixes for the journal's lifetime whether one thread appends or several do.
     */
    public void share(final boolean isShared)
    {
        if (!sharing.compareAndSet(null, isShared) && isShared != sharing.get())
        {
            throw new IllegalStateException(
                isShared ? "appender() was taken before: one thread appends" :
                    "sharedAppender() was taken before: many threads append");
        }
    }

    public int maxRecordLength()
    {
        return maxRecordLength;
    }

    RecordClaim claim(final int length)
    {
        return claim.open(length);
    }

    /**
     * Appends a record that {@link #checkRecord} has passed.
     *
     * @param memory a byte[], ByteBuffer or DirectBuffer.
     */
    public long append(
        final boolean isShared,
        final long expectedSequence,
        final long tag,
        final Object memory,
        final int offset,
        final int length)
    {
        return acknowledge(
            isShared ? putLocked(expectedSequence, tag, memory, offset, length, FrameHeader.LENGTH) :
                put(expectedSequence, tag, memory, offset, length, FrameHeader.LENGTH));
    }

    /**
     * Appends a batch.
     *
     * @param frames as {@link TailWriter#commitBatch} expects them, from index 0 on.
     * @param length of all frames.
     */
    public long appendBatch(
        final boolean isShared,
        final long expectedSequence,
        final ByteBuffer frames,
        final int length,
        final int longestRecord)
    {
        if (0 == length || longestRecord > maxRecordLength || length > maxFrameLength)
        {
            throw new IllegalArgumentException(
                "batch cannot be appended: length=" + length + ", longestRecord=" + longestRecord +
                    ", maxRecordLength=" + maxRecordLength + ", maxLength=" + maxFrameLength);
        }

        return acknowledge(
            isShared ? putLocked(expectedSequence, 0, frames, 0, length, IN_FRAMES) :
                put(expectedSequence, 0, frames, 0, length, IN_FRAMES));
    }

    private long putLocked(
        final long expectedSequence,
        final long tag,
        final Object memory,
        final int offset,
        final int length,
        final int headerLength)
    {
        lock.lock();
        try
        {
            return put(expectedSequence, tag, memory, offset, length, headerLength);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * @param headerLength of the header that goes before the bytes, or {@link #IN_FRAMES} if the bytes are the frames
     *                     of a batch.
     */
    private long put(
        final long expectedSequence,
        final long tag,
        final Object memory,
        final int offset,
        final int length,
        final int headerLength)
    {
        if (JournalAppender.ANY != expectedSequence && isUnexpected(expectedSequence))
        {
            return JournalAppender.MISMATCH;
        }

        gate.enter();
        try
        {
            final int index = tail.reserve(headerLength + length);
            copy(memory, offset, index + headerLength, length);
            return end(index, headerLength + length, tag, IN_FRAMES == headerLength);
        }
        catch (final InternalError ex)
        {
            // The file of the next segment was truncated meanwhile, or the caller's memory maps a truncated file.
            throw tail.fence.faulted(ex);
        }
        finally
        {
            gate.leave();
        }
    }

    private void copy(final Object memory, final int offset, final int index, final int length)
    {
        final ByteBuffer buffer = tail.buffer();
        if (memory instanceof byte[])
        {
            buffer.put(index, (byte[])memory, offset, length);
        }
        else if (memory instanceof ByteBuffer)
        {
            buffer.put(index, (ByteBuffer)memory, offset, length);
        }
        else
        {
            ((DirectBuffer)memory).getBytes(offset, buffer, index, length);
        }
    }

    private long end(final int index, final int length, final long tag, final boolean isBatch)
    {
        try
        {
            return isBatch ? tail.commitBatch(index, length) : tail.commit(index, length, tag);
        }
        catch (final Throwable ex)
        {
            // The frame may be written but not published, or the other way round.
            throw latch.fail(ex).exception("write", ex);
        }
    }

    /**
     * Wakes threads that wait for a record, and waits until it is durable, if the policy says so. Runs without the
     * lock, so that other threads can append.
     */
    long acknowledge(final long sequence)
    {
        if (JournalAppender.MISMATCH != sequence)
        {
            appended.moved();
            if (isForcingEach)
            {
                forcer.appended(sequence);
            }
        }

        return sequence;
    }

    /**
     * Makes a change while no thread appends. Called by the appending thread, or by any thread if the path is shared.
     *
     * @throws IllegalStateException if a claim is open, or another thread is appending; nothing was changed.
     */
    public void exclusively(final ExclusiveChange change) throws IOException
    {
        lock.lock();
        try
        {
            gate.enterExclusively();
            try
            {
                change.make();
            }
            finally
            {
                gate.leave();
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Waits for an append in progress. The latch is closed, so no other append follows. */
    public void close()
    {
        lock.lock();
        try
        {
            gate.close();
        }
        finally
        {
            lock.unlock();
        }
    }

    boolean isShared()
    {
        return Boolean.TRUE.equals(sharing.get());
    }

    /**
     * Whether the newest record differs from the one the caller expects.
     */
    private boolean isUnexpected(final long expectedSequence)
    {
        latch.check();
        return tail.nextSequence() - 1 != expectedSequence;
    }

    /**
     * @param available bytes in the caller's memory.
     */
    public void checkRecord(final int offset, final int length, final int available)
    {
        if (length < 0 || length > maxRecordLength)
        {
            throw new IllegalArgumentException(
                "record length out of range: length=" + length + ", maxLength=" + maxRecordLength);
        }

        if (offset < 0 || offset > available - length)
        {
            throw new IllegalArgumentException(
                "record outside its buffer: offset=" + offset + ", length=" + length + ", available=" + available);
        }
    }
}
