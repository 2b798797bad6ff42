// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Deque;

/**
 * Pool of memory for mapped files. Tests open thousands of small journals in a row, and the allocation of direct memory
 * would dominate their run time.
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

        // Atomic access requires 8-byte alignment.
        return ByteBuffer.allocateDirect(length + Long.BYTES).alignedSlice(Long.BYTES).limit(length).slice()
            .order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Returns unmapped memory to the pool. Overwrites it, so that a use after the unmap does not find the old content.
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
