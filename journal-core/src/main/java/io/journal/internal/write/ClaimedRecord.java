package io.journal.internal.write;

import io.journal.internal.buffer.ByteBufferView;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.format.FrameHeader;
import org.agrona.MutableDirectBuffer;

/**
 * Room for one record, which the appending thread fills in place. That thread commits or aborts it; the closing one
 * aborts it if the appending thread has ended.
 */
public final class ClaimedRecord
{
    private final AppendPath path;
    private final TailWriter tail;
    private final FailureLatch latch;
    private final AppenderGate gate;
    private final ByteBufferView view = new ByteBufferView();
    private int index;
    private int length;

    ClaimedRecord(final AppendPath path, final TailWriter tail, final FailureLatch latch, final AppenderGate gate)
    {
        this.path = path;
        this.tail = tail;
        this.latch = latch;
        this.gate = gate;
    }

    /**
     * Claims zeroed memory, which {@link #buffer()} shows until {@link #commit} or {@link #abort}.
     */
    public void open(final int length)
    {
        if (path.isShared())
        {
            throw new IllegalStateException("a shared appender cannot claim: use appender(), or append");
        }

        path.checkRecord(0, length, length);
        final int frameIndex = path.begin(FrameHeader.LENGTH + length, 0);
        try
        {
            FrameHeader.zero(tail.buffer(), frameIndex, frameIndex + FrameHeader.alignedLength(length));
            view.wrap(tail.buffer(), frameIndex + FrameHeader.LENGTH, length);
            index = frameIndex;
            this.length = length;
            gate.claimed();
        }
        catch (final Throwable ex)
        {
            throw path.undo(frameIndex, FrameHeader.LENGTH + length, ex);
        }
    }

    public MutableDirectBuffer buffer()
    {
        return view;
    }

    public int length()
    {
        return length;
    }

    public long commit(final long tag)
    {
        if (!latch.isOpen() || !gate.enterClaimed())
        {
            abort();
            latch.check();
            throw new IllegalStateException("claim is not open");
        }

        if (isViewMoved())
        {
            try
            {
                discard();
            }
            finally
            {
                gate.leave();
            }
            throw new IllegalStateException("the claim's buffer was wrapped around other memory: nothing was appended");
        }

        final int frameLength = FrameHeader.LENGTH + length;
        try
        {
            withdraw();
            tail.fence.checkOwned();
            FrameHeader.begin(tail.buffer(), index, tail.nextSequence(), tag);
        }
        catch (final Throwable ex)
        {
            gate.leave();
            throw latch.fail("write", ex);
        }

        return path.acknowledge(path.end(index, frameLength, tag, TailWriter.NO_BATCH, false));
    }

    /**
     * Discards the record. Does nothing if closing has discarded it already, or there is none.
     */
    public void abort()
    {
        final boolean isEntered = gate.enterClaimed();
        if (!isEntered && !gate.isOrphaned())
        {
            return;
        }

        try
        {
            discard();
        }
        finally
        {
            if (isEntered)
            {
                gate.leave();
            }
            else
            {
                gate.leaveOrphaned();
            }
        }
    }

    private void discard()
    {
        final int alignedLength = FrameHeader.alignedLength(length);
        withdraw();
        try
        {
            tail.abort(index, alignedLength);
        }
        catch (final InternalError ex)
        {
            throw latch.fail("write", ex);
        }
    }

    /**
     * Whether the user has wrapped the buffer around other memory, and filled that.
     */
    private boolean isViewMoved()
    {
        return view.capacity() != length || !view.isWrappedAround(tail.buffer(), index + FrameHeader.LENGTH);
    }

    /**
     * Takes the memory away from the user, who may keep the buffer.
     */
    private void withdraw()
    {
        view.wrap(tail.buffer(), 0, 0);
    }
}
