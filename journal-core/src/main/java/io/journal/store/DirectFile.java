// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;

import org.agrona.CloseHelper;

/**
 * A file that is appended to past the page cache.
 * <p>
 * Writes go through the {@link BlockWindow} as whole blocks, and around the page cache; what it holds of these blocks
 * the operating system drops. Reads go through the page cache, and so does the rest of a file whose length is not a
 * multiple of the block length, or a write that extends it. A force flushes the device's cache, which direct I/O does
 * not bypass: an fdatasync, as for {@link ChannelFile}.
 */
final class DirectFile implements SegmentFile
{
    private final ChannelFile buffered;
    private final ReopenedChannel direct;
    private final BlockWindow window;
    private final long blocksEnd;

    DirectFile(final ChannelFile buffered, final ReopenedChannel direct, final BlockWindow window) throws IOException
    {
        this.buffered = buffered;
        this.direct = direct;
        this.window = window;
        blocksEnd = buffered.length() & -window.blockLength();
    }

    @Override
    public long length() throws IOException
    {
        return buffered.length();
    }

    @Override
    public void read(final long offset, final ByteBuffer target) throws IOException
    {
        buffered.read(offset, target);
    }

    @Override
    public void write(final long offset, final ByteBuffer source) throws IOException
    {
        if (offset + source.remaining() <= blocksEnd)
        {
            window.write(this, offset, source);
        }
        else
        {
            window.forget(this);
            buffered.write(offset, source);
        }
    }

    /** Offset after the last whole block. */
    long blocksEnd()
    {
        return blocksEnd;
    }

    /** Writes whole blocks from aligned memory. */
    void writeBlocks(final long offset, final ByteBuffer source) throws IOException
    {
        direct.write(offset, source);
    }

    /** A store to mapped memory, which is that of the page cache, could be lost to a direct write of the same block. */
    @Override
    public ByteBuffer map()
    {
        throw new UnsupportedOperationException("a file that is open for appending is not mapped");
    }

    @Override
    public void release()
    {
    }

    @Override
    public void force(final long from, final long to) throws IOException
    {
        buffered.force(from, to);
    }

    @Override
    public void close()
    {
        window.forget(this);
        CloseHelper.quietClose(direct);
        CloseHelper.quietClose(buffered);
    }
}
