// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * Immutable page of 4096 bytes, shared by all images that contain it.
 */
final class Page
{
    static final int LENGTH = 4096;
    static final Page ZERO = new Page(new byte[LENGTH]);

    private final byte[] bytes;
    // Computed on first use. The race is benign: every thread computes the same value.
    private long hash;

    /**
     * @param bytes of the page; must not be changed afterwards.
     */
    Page(final byte[] bytes)
    {
        assert LENGTH == bytes.length : "length=" + bytes.length;
        this.bytes = bytes;
    }

    /**
     * Returns the number of pages of a file of this length.
     */
    static int count(final long length)
    {
        return (int)((length + LENGTH - 1) / LENGTH);
    }

    ByteBuffer buffer()
    {
        return ByteBuffer.wrap(bytes);
    }

    byte[] copy()
    {
        return bytes.clone();
    }

    void get(final int offset, final byte[] target, final int targetOffset, final int length)
    {
        System.arraycopy(bytes, offset, target, targetOffset, length);
    }

    boolean isSame(final Page other, final int offset, final int length)
    {
        for (int i = offset; i < offset + length; i++)
        {
            if (bytes[i] != other.bytes[i])
            {
                return false;
            }
        }

        return true;
    }

    /**
     * Returns the first bytes of this page, padded with zeros.
     */
    Page cut(final int length)
    {
        final byte[] cut = new byte[LENGTH];
        System.arraycopy(bytes, 0, cut, 0, length);
        return new Page(cut);
    }

    long hash()
    {
        if (0 == hash)
        {
            final CRC32C one = new CRC32C();
            one.update(bytes);
            final CRC32 other = new CRC32();
            other.update(bytes);
            hash = (one.getValue() << 32 | other.getValue()) | 1;
        }

        return hash;
    }
}
