package io.journal.testkit;

import java.nio.ByteBuffer;
import java.util.zip.CRC32;
import java.util.zip.CRC32C;

/**
 * 4096 bytes that never change, shared by all pictures of a device in which they occur.
 */
final class Page
{
    static final int LENGTH = 4096;
    static final Page ZERO = new Page(new byte[LENGTH]);

    private final byte[] bytes;
    // Computed when asked for, by whoever comes first; all come to the same.
    private long hash;

    /**
     * @param bytes that nobody changes any more.
     */
    Page(final byte[] bytes)
    {
        assert LENGTH == bytes.length : "length=" + bytes.length;
        this.bytes = bytes;
    }

    /**
     * A page for each piece of so many bytes.
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
     * The first bytes of this page, then zeros.
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
