package io.journal.internal.write;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.internal.buffer.ByteBufferView;
import org.agrona.MutableDirectBuffer;

/**
 * Private memory for one record, which the appending thread fills, then commits or aborts. Committing copies it into
 * the journal; closing the journal only makes that fail.
 */
public final class ClaimedRecord
{
    private static final int INITIAL_LENGTH = 256;
    private static final int MAX_KEPT_LENGTH = 1024 * 1024;

    private final AppendPath path;
    private final AppenderGate gate;
    private final ByteBufferView view = new ByteBufferView();
    private ByteBuffer memory = allocate(INITIAL_LENGTH);
    private int length;

    ClaimedRecord(final AppendPath path, final AppenderGate gate)
    {
        this.path = path;
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
        gate.enter();
        try
        {
            if (length > memory.capacity() || memory.capacity() > Math.max(MAX_KEPT_LENGTH, length))
            {
                memory = allocate(Math.max(INITIAL_LENGTH, length));
            }
            view.wrap(memory, 0, length);
            view.setMemory(0, length, (byte)0);
            this.length = length;
        }
        catch (final Throwable ex)
        {
            gate.leave();
            throw ex;
        }
        gate.claimed();
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
        // The user may have wrapped the buffer around other memory, and filled that.
        final boolean isMoved = view.capacity() != length || !view.isWrappedAround(memory, 0);
        abort();
        if (isMoved)
        {
            throw new IllegalStateException("the claim's buffer was wrapped around other memory: nothing was appended");
        }

        return path.append(false, AppendPath.ANY, tag, memory, 0, length);
    }

    /** Discards the record. */
    public void abort()
    {
        // The user may keep the buffer.
        view.wrap(memory, 0, 0);
        gate.leave();
    }

    private static ByteBuffer allocate(final int length)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
