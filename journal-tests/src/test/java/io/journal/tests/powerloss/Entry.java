// SPDX-License-Identifier: Apache-2.0
package io.journal.tests.powerloss;

import java.util.Arrays;

import org.agrona.DirectBuffer;

/** A record that differs from any other, even from a truncated one of the same sequence and length. */
record Entry(long tag, byte[] bytes)
{
    static Entry of(final long life, final long sequence, final int length)
    {
        final byte[] bytes = new byte[length];
        long state = (life << 32 ^ sequence) * 0x9E37_79B9_7F4A_7C15L + length;
        for (int i = 0; i < length; i++)
        {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            bytes[i] = (byte)(state >>> 24);
        }

        return new Entry(life << 32 | sequence, bytes);
    }

    static Entry of(final long tag, final DirectBuffer buffer, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        return new Entry(tag, bytes);
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof final Entry that && tag == that.tag && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode()
    {
        return Long.hashCode(tag) ^ Arrays.hashCode(bytes);
    }

    @Override
    public String toString()
    {
        return "life=" + (tag >>> 32) + ", sequence=" + (int)tag + ", length=" + bytes.length;
    }
}
