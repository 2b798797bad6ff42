// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.internal.format.Block;
import io.journal.store.SegmentFile;

/** A file whose blocks that cannot be read show as zeros, so that one of them does not hide the others. */
record ReadableFile(SegmentFile file) implements SegmentFile
{
    @Override
    public void read(final long offset, final ByteBuffer target) throws IOException
    {
        final int start = target.position();
        try
        {
            file.read(offset, target);
        }
        catch (final EOFException ex)
        {
            throw ex;
        }
        catch (final IOException ex)
        {
            readBlocks(offset - start, target.position(start));
        }
    }

    private void readBlocks(final long base, final ByteBuffer target)
    {
        final int end = target.limit();
        int from = target.position();
        while (from < end)
        {
            final int to = (int)Math.min(end, (base + from) / Block.LENGTH * Block.LENGTH + Block.LENGTH - base);
            try
            {
                file.read(base + from, target.limit(to).position(from));
            }
            catch (final IOException ignore)
            {
                target.put(from, new byte[to - from]);
            }
            from = to;
        }
        target.limit(end).position(end);
    }

    @Override
    public long length() throws IOException
    {
        return file.length();
    }

    @Override
    public void write(final long offset, final ByteBuffer source)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public ByteBuffer map() throws IOException
    {
        return file.map();
    }

    @Override
    public void release()
    {
        file.release();
    }

    @Override
    public void force(final long from, final long to)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close()
    {
        file.close();
    }
}
