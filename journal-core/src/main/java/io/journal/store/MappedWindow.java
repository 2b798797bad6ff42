package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * A window over the whole mapped segment.
 */
final class MappedWindow implements Window
{
    private ByteBuffer buffer;

    @Override
    public void attach(final SegmentFile file) throws IOException
    {
        buffer = file.map();
    }

    @Override
    public void move(final int offset, final int length)
    {
        assert offset + length <= buffer.capacity() : "outside the segment: offset=" + offset + ", length=" + length;
    }

    @Override
    public ByteBuffer buffer()
    {
        return buffer;
    }

    @Override
    public int offset()
    {
        return 0;
    }

    @Override
    public int end()
    {
        return buffer.capacity();
    }

    @Override
    public boolean isShared()
    {
        return true;
    }

    @Override
    public void load(final int from, final int to)
    {
    }

    @Override
    public void store(final int from, final int to)
    {
    }

    @Override
    public void detach()
    {
        buffer = null;
    }
}
