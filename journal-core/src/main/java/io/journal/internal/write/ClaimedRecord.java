// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import io.journal.RecordClaim;
import io.journal.JournalAppender;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.internal.buffer.ByteBufferView;
import org.agrona.MutableDirectBuffer;

/**
 * Private memory for one record, which the appending thread fills, then commits or aborts. Committing copies it into
 * the journal; closing the journal only makes that fail.
 */
public final class ClaimedRecord implements RecordClaim
{
    private static final int INITIAL_LENGTH = 256;
    private static final int MAX_KEPT_LENGTH = 1024 * 1024;

    private final AppendPath path;
    private final AppenderGate gate;
    private final ByteBufferView view = new ByteBufferView();
    private ByteBuffer memory = allocate(INITIAL_LENGTH);
    private int length;
    private long tag;
    private boolean isOpen;

    ClaimedRecord(final AppendPath path, final AppenderGate gate)
    {
        this.path = path;
        this.gate = gate;
    }

    /**
     * Claims zeroed memory, which {@link #buffer()} shows until {@link #commit()} or {@link #close()}.
     */
    RecordClaim open(final int length)
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
        tag = 0;
        isOpen = true;
        return this;
    }

    @Override
    public MutableDirectBuffer buffer()
    {
        return view;
    }

    @Override
    public int length()
    {
        return length;
    }

    @Override
    public RecordClaim tag(final long value)
    {
        tag = value;
        return this;
    }

    @Override
    public long commit()
    {
        if (!isOpen)
        {
            throw new IllegalStateException("claim is not open");
        }

        // The user may have wrapped the buffer around other memory, and filled that.
        final boolean isMoved = view.capacity() != length || !view.isWrappedAround(memory, 0);
        close();
        if (isMoved)
        {
            throw new IllegalStateException("the claim's buffer was wrapped around other memory: nothing was appended");
        }

        return path.append(false, JournalAppender.ANY, tag, memory, 0, length);
    }

    @Override
    public void close()
    {
        if (isOpen)
        {
            isOpen = false;
            // The user may keep the buffer.
            view.wrap(memory, 0, 0);
            gate.leave();
        }
    }

    private static ByteBuffer allocate(final int length)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
