package io.journal.verify;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.store.SegmentFile;

/**
 * A torn tail, read as if it were in its place in the segment, with the zeros behind it that the quarantine leaves out.
 * Nothing but that.
 */
final class TailFile implements SegmentFile
{
    private final SegmentFile tail;
    private final long start;
    private final long length;

    /**
     * @param start  of the tail in the segment.
     * @param length of the segment.
     */
    TailFile(final SegmentFile tail, final long start, final long length)
    {
        this.tail = tail;
        this.start = start;
        this.length = length;
    }

    @Override
    public long length()
    {
        return length;
    }

    @Override
    public void read(final long offset, final ByteBuffer target) throws IOException
    {
        final int end = target.limit();
        final int there = (int)Math.min(target.remaining(), start + tail.length() - offset);
        if (there > 0)
        {
            tail.read(offset - start, target.limit(target.position() + there));
        }
        target.limit(end);
        while (target.hasRemaining())
        {
            target.put((byte)0);
        }
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
    public void warm(final int from, final int to)
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
        tail.close();
    }
}
