package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.function.IntFunction;

import org.agrona.BitUtil;

/**
 * A window with its own memory; bytes are copied between it and the file.
 */
final class StagingWindow implements Window
{
    private static final int BLOCK_LENGTH = 4096;

    private final IntFunction<ByteBuffer> allocator;
    private SegmentFile file;
    private int fileLength;
    private ByteBuffer buffer;
    // A second view of the same memory: transfers change position and limit while the owner uses those of its view.
    private ByteBuffer transfer;
    private int offset;
    private int end;

    StagingWindow(final int length, final IntFunction<ByteBuffer> allocator)
    {
        this.allocator = allocator;
        allocate(length);
    }

    @Override
    public void attach(final SegmentFile file) throws IOException
    {
        this.file = file;
        fileLength = (int)file.length();
        offset = 0;
        end = 0;
    }

    @Override
    public void move(final int offset, final int length)
    {
        assert offset + length <= fileLength : "outside the segment: offset=" + offset + ", length=" + length;
        if (length > buffer.capacity())
        {
            allocate(length);
        }

        this.offset = offset;
        end = offset + Math.min(buffer.capacity(), fileLength - offset);
    }

    @Override
    public ByteBuffer buffer()
    {
        return buffer;
    }

    @Override
    public int offset()
    {
        return offset;
    }

    @Override
    public int end()
    {
        return end;
    }

    @Override
    public boolean isShared()
    {
        return false;
    }

    @Override
    public void load(final int from, final int to) throws IOException
    {
        file.read(from, range(from, to));
    }

    @Override
    public void store(final int from, final int to) throws IOException
    {
        file.write(from, range(from, to));
    }

    @Override
    public void detach()
    {
        file = null;
        offset = 0;
        end = 0;
    }

    private ByteBuffer range(final int from, final int to)
    {
        assert offset <= from && from <= to && to <= end : "outside the window: from=" + from + ", to=" + to;
        return transfer.limit(to - offset).position(from - offset);
    }

    private void allocate(final int length)
    {
        // Frames are aligned, so the end of the window must be aligned too.
        buffer = allocator.apply(BitUtil.align(length, BLOCK_LENGTH)).order(ByteOrder.LITTLE_ENDIAN);
        transfer = buffer.duplicate();
    }
}
