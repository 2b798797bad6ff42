package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.BitUtil;

/**
 * The memory through which part of a segment is accessed.
 * <p>
 * Frames are composed and checked here with plain arithmetic, so a backend is called per window and not per field. A
 * shared window is the whole mapped file; any other has its own memory, which {@link #load} fills from the file and
 * {@link #store} writes to it.
 * <p>
 * Confined to one thread, with one exception: another thread may call {@link #store} for bytes that the owner no longer
 * changes, if it ensures that the window is neither moved nor attached meanwhile.
 */
public final class Window
{
    private static final int BLOCK_LENGTH = 4096;

    private final SegmentStore.Memory memory;
    private final boolean isShared;
    private final int initialLength;
    private SegmentFile file;
    private int fileLength;
    private ByteBuffer buffer;
    // A second view of the same memory: transfers change position and limit while the owner uses those of its view.
    private ByteBuffer transfer;
    private int offset;
    private int end;

    private Window(final SegmentStore.Memory memory, final int length)
    {
        this.memory = memory;
        isShared = SegmentStore.Memory.MAPPED == memory;
        initialLength = length;
        if (!isShared)
        {
            allocate(length);
        }
    }

    /**
     * Returns a window of the kind of memory that a store asks for.
     *
     * @param length initial length of the window's own memory, if it has any.
     */
    public static Window of(final SegmentStore store, final int length)
    {
        return new Window(store.memory(), length);
    }

    /**
     * Returns a window with its own heap memory, whatever the store, for callers that must not incur the page faults
     * of a mapping.
     */
    public static Window copying(final int length)
    {
        return new Window(SegmentStore.Memory.HEAP, length);
    }

    /**
     * Returns a window with its own memory, of the kind that the files of a store are read into without another copy.
     */
    public static Window copying(final SegmentStore store, final int length)
    {
        final boolean isHeap = SegmentStore.Memory.HEAP == store.memory();
        return new Window(isHeap ? SegmentStore.Memory.HEAP : SegmentStore.Memory.DIRECT, length);
    }

    /**
     * Attaches the window to another file. Any other than a shared window covers nothing until it is moved.
     */
    public void attach(final SegmentFile file) throws IOException
    {
        if (isShared)
        {
            buffer = file.map();
            fileLength = buffer.capacity();
            end = fileLength;
        }
        else
        {
            fileLength = (int)file.length();
            offset = 0;
            end = 0;
        }
        this.file = file;
    }

    /**
     * Moves the window so that it covers at least the given range, which lies within the file. Unless the window is
     * shared, its content is undefined afterwards.
     */
    public void move(final int offset, final int length)
    {
        assert offset + length <= fileLength : "outside the segment: offset=" + offset + ", length=" + length;
        if (!isShared)
        {
            if (length > buffer.capacity())
            {
                allocate(length);
            }

            this.offset = offset;
            end = offset + Math.min(buffer.capacity(), fileLength - offset);
        }
    }

    /**
     * The window's memory, little-endian; index 0 is {@link #offset()}. Changes when the window is moved or attached.
     * Its position and limit are free for use by the window's owner.
     */
    public ByteBuffer buffer()
    {
        return buffer;
    }

    /** Bytes of memory that the window itself holds; 0 if it is shared. */
    public int ownLength()
    {
        return isShared ? 0 : buffer.capacity();
    }

    /** Offset in the file of the first byte covered. */
    public int offset()
    {
        return offset;
    }

    /** Offset in the file after the last byte covered. */
    public int end()
    {
        return end;
    }

    /** Whether the window's memory is that of the file, so that nothing needs to be loaded or stored. */
    public boolean isShared()
    {
        return isShared;
    }

    /**
     * Reads a range of the file, within the window, into its memory.
     */
    public void load(final int from, final int to) throws IOException
    {
        if (!isShared)
        {
            file.read(from, range(from, to));
        }
    }

    /**
     * Writes a range within the window to the file. On return the operating system has the bytes.
     */
    public void store(final int from, final int to) throws IOException
    {
        if (!isShared)
        {
            file.write(from, range(from, to));
        }
    }

    /**
     * Detaches the window from its file; its memory must no longer be used.
     */
    public void detach()
    {
        file = null;
        fileLength = 0;
        offset = 0;
        end = 0;
        if (isShared)
        {
            buffer = null;
        }
    }

    /**
     * Releases the memory by which a detached window has grown.
     */
    public void shrink()
    {
        assert null == file : "in use";
        if (ownLength() > BitUtil.align(initialLength, BLOCK_LENGTH))
        {
            allocate(initialLength);
        }
    }

    private ByteBuffer range(final int from, final int to)
    {
        assert offset <= from && from <= to && to <= end : "outside the window: from=" + from + ", to=" + to;
        return transfer.limit(to - offset).position(from - offset);
    }

    private void allocate(final int length)
    {
        // Frames are aligned, so the end of the window must be aligned too.
        final int alignedLength = BitUtil.align(length, BLOCK_LENGTH);
        final ByteBuffer allocated = SegmentStore.Memory.DIRECT == memory ?
            ByteBuffer.allocateDirect(alignedLength) : ByteBuffer.allocate(alignedLength);
        allocated.order(ByteOrder.LITTLE_ENDIAN);
        // Both or, without memory, neither.
        final ByteBuffer duplicate = allocated.duplicate();
        buffer = allocated;
        transfer = duplicate;
    }
}
