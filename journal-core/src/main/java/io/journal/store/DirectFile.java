// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

import org.agrona.CloseHelper;

/**
 * A file to which records are appended with direct I/O.
 * <p>
 * Writes go through the {@link BlockWindow} as whole blocks, and bypass the page cache, whose copies of these blocks
 * the operating system drops. Reads go through the page cache, and so does the rest of a file whose length is not a
 * multiple of the block length, or a write that extends it. A force flushes the device's cache, which direct I/O does
 * not bypass: an fdatasync, as for {@link ChannelFile}.
 */
final class DirectFile extends ChannelFile
{
    private final ReopenedChannel direct;
    private final BlockWindow window;
    private final long blocksEnd;

    DirectFile(final Path path, final DirectFiles files) throws IOException
    {
        // Opened first, because this rejects links, pipes and directories.
        super(path, SegmentStore.Access.APPEND);
        try
        {
            window = files.window(path);
            blocksEnd = length() & -window.blockLength();
            direct = new ReopenedChannel(path, DirectFiles.OPTIONS);
        }
        catch (final Throwable ex)
        {
            super.close();
            throw ex;
        }
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
            super.write(offset, source);
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

    /**
     * Rejects mapping: a store to mapped memory, which is in the page cache, could be lost to a direct write of the
     * same block.
     */
    @Override
    public ByteBuffer map()
    {
        throw new UnsupportedOperationException("a file that is open for appending is not mapped");
    }

    @Override
    public void close()
    {
        window.forget(this);
        CloseHelper.quietClose(direct);
        super.close();
    }
}
