package io.journal.testkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Memory for mapped files, used again: thousands of small journals are opened in a row, and what direct memory costs
 * otherwise would be most of that.
 */
final class Memory
{
    private static final int KEPT_LENGTH = 64 * 1024;
    private static final int MAX_KEPT = 64;
    private static final long POISON = 0xDEAD_BEEF_DEAD_BEEFL;

    private static final Deque<ByteBuffer> KEPT = new ArrayDeque<>();

    private Memory()
    {
    }

    /**
     * @return memory with undefined content.
     */
    static ByteBuffer take(final int length)
    {
        if (KEPT_LENGTH == length)
        {
            synchronized (KEPT)
            {
                final ByteBuffer kept = KEPT.poll();
                if (null != kept)
                {
                    return kept;
                }
            }
        }

        // Atomic access needs memory aligned for it.
        return ByteBuffer.allocateDirect(length + Long.BYTES).alignedSlice(Long.BYTES).limit(length).slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Gives memory back that was unmapped. Whoever uses it all the same does not find what was there.
     */
    static void give(final ByteBuffer memory)
    {
        if (KEPT_LENGTH == memory.capacity())
        {
            for (int i = 0; i < KEPT_LENGTH; i += Long.BYTES)
            {
                memory.putLong(i, POISON);
            }
            synchronized (KEPT)
            {
                if (KEPT.size() < MAX_KEPT)
                {
                    KEPT.push(memory);
                }
            }
        }
    }
}
