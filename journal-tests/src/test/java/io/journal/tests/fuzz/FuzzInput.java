// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.fuzz;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/** The bytes of a fuzzer, read as choices. Beyond their end all choices are zero, so that every input is valid. */
final class FuzzInput
{
    private static final long[] SPECIAL = {
        0, 1, -1, 2, 8, 24, 40, 4096, 65_536, Integer.MAX_VALUE, Integer.MIN_VALUE, 1L << 32, Long.MAX_VALUE,
        Long.MIN_VALUE, 1L << 62, (1L << 62) - 1 };

    private final ByteBuffer bytes;

    FuzzInput(final byte[] bytes)
    {
        this.bytes = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }

    boolean hasMore()
    {
        return bytes.hasRemaining();
    }

    byte nextByte()
    {
        return bytes.hasRemaining() ? bytes.get() : 0;
    }

    /**
     * @return one of 0 to bound - 1.
     */
    int choose(final int bound)
    {
        return (nextByte() & 0xFF) % bound;
    }

    int nextShort()
    {
        return nextByte() & 0xFF | (nextByte() & 0xFF) << 8;
    }

    long nextLong()
    {
        long value = 0;
        for (int i = 0; i < Long.SIZE; i += Byte.SIZE)
        {
            value |= (nextByte() & 0xFFL) << i;
        }

        return value;
    }

    /** A number near the given one, an extreme number, or any number. */
    long nextValue(final long old)
    {
        switch (choose(5))
        {
            case 0:
                return old + nextByte();

            case 1:
                return SPECIAL[choose(SPECIAL.length)];

            case 2:
                return old ^ 1L << choose(Long.SIZE);

            case 3:
                return nextShort();

            default:
                return nextLong();
        }
    }

    byte[] nextBytes(final int length)
    {
        final byte[] result = new byte[length];
        bytes.get(result, 0, Math.min(length, bytes.remaining()));
        return result;
    }
}
