package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.store.SegmentFile;

/**
 * A part of a segment in a file of its own, read as if it were in its place in the segment. Nothing but that.
 */
final class ShiftedFile implements SegmentFile
{
    private final SegmentFile part;
    private final long start;

    ShiftedFile(final SegmentFile part, final long start)
    {
        this.part = part;
        this.start = start;
    }

    @Override
    public long length() throws IOException
    {
        return start + part.length();
    }

    @Override
    public void read(final long offset, final ByteBuffer target) throws IOException
    {
        part.read(offset - start, target);
    }

    @Override
    public void write(final long offset, final ByteBuffer source)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public ByteBuffer map()
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void release()
    {
    }

    @Override
    public void warm()
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void force(final long from, final long to)
    {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close()
    {
        part.close();
    }
}
