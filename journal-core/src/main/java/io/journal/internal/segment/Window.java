// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.internal.platform.PendingFault;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.BitUtil;

/**
 * The memory through which part of a segment is accessed.
 * <p>
 * Frames are composed and checked here with plain arithmetic, so a backend is called per window and not per field. The
 * memory is the window's own, also if the file is mapped: {@link #load} fills it from the file, and {@link #store}
 * writes it there. So verified bytes can no longer change, a frame whose bytes are lost on their way into the file is
 * not valid there, and no checksum is calculated in a mapping, which since JDK 22 costs two atomic operations each.
 * <p>
 * Confined to one thread, with one exception: another thread may call {@link #store} for bytes that the owner no longer
 * changes, if it ensures that the window is neither moved nor attached meanwhile.
 */
public final class Window
{
    private static final int BLOCK_LENGTH = 4096;
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final SegmentStore.Memory memory;
    // Whether files are accessed through their mapping.
    private final boolean isMapped;
    private final int initialLength;
    private SegmentFile file;
    private int fileLength;
    private ByteBuffer buffer;
    // A second view of the same memory: transfers change its position and limit while the owner uses the other view's.
    private ByteBuffer transfer;
    private int offset;
    private int end;
    private ByteBuffer mapped;
    private ByteBuffer mappedView;

    private Window(final SegmentStore.Memory memory, final int length, final boolean isMapped)
    {
        this.memory = memory;
        this.isMapped = isMapped;
        initialLength = length;
        allocate(length);
    }

    /**
     * Returns a window that accesses a file as its store does: through its mapping, or with reads and writes.
     */
    public static Window of(final SegmentStore store, final int length)
    {
        return new Window(own(store), length, SegmentStore.Memory.MAPPED == store.memory());
    }

    /**
     * Returns a window with heap memory that reads and writes, whatever the store.
     */
    public static Window copying(final int length)
    {
        return new Window(SegmentStore.Memory.HEAP, length, false);
    }

    /**
     * Returns a window that reads and writes, with memory that needs no further copy.
     */
    public static Window copying(final SegmentStore store, final int length)
    {
        return new Window(own(store), length, false);
    }

    private static SegmentStore.Memory own(final SegmentStore store)
    {
        final boolean isHeap = SegmentStore.Memory.HEAP == store.memory();
        return isHeap ? SegmentStore.Memory.HEAP : SegmentStore.Memory.DIRECT;
    }

    /**
     * Attaches the window to another file. It covers nothing until it is moved.
     */
    public void attach(final SegmentFile file) throws IOException
    {
        attach(file, isMapped);
    }

    /** As {@link #attach(SegmentFile)}, but accesses this file through its mapping or not, whatever the store. */
    public void attach(final SegmentFile file, final boolean isMapped) throws IOException
    {
        detach();
        if (isMapped)
        {
            mapped = file.map();
            fileLength = mapped.capacity();
        }
        else
        {
            fileLength = (int)file.length();
        }
        this.file = file;
    }

    /**
     * Moves the window so that it covers at least the given range, which lies within the file. Its content is undefined
     * afterwards.
     */
    public void move(final int offset, final int length)
    {
        move(offset, length, fileLength);
    }

    /** As {@link #move(int, int)}, but at most up to a limit in the file. */
    public void move(final int offset, final int length, final int limit)
    {
        assert offset + length <= fileLength : "outside the segment: offset=" + offset + ", length=" + length;
        if (length > buffer.capacity())
        {
            allocate(length);
        }

        this.offset = offset;
        // If a long record has made the memory grow, only a part of it is covered: short records would evict each other
        // from caches.
        final int covered = Math.min(buffer.capacity(), BitUtil.align(Math.max(length, initialLength), BLOCK_LENGTH));
        end = offset + Math.max(0, Math.min(covered, limit - offset));
    }

    /**
     * The window's memory, little-endian; index 0 is {@link #offset()}. A move that needs more memory replaces it. Its
     * position and limit are free for use by the window's owner.
     */
    public ByteBuffer buffer()
    {
        return buffer;
    }

    /** A second view of the memory, whose position and limit the window's owner and its transfers change. */
    ByteBuffer view()
    {
        return transfer;
    }

    /** Bytes of memory that the window holds. */
    public int ownLength()
    {
        return buffer.capacity();
    }

    /** Length of the file when the window was attached to it. */
    int fileLength()
    {
        return fileLength;
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

    /** Whether files are accessed through their mapping by default: {@link #store} needs no system call. */
    public boolean isMapped()
    {
        return isMapped;
    }

    /**
     * Reads a range of the file, within the window, into its memory.
     */
    public void load(final int from, final int to) throws IOException
    {
        if (null == mapped)
        {
            file.read(from, range(from, to));
        }
        else
        {
            buffer.put(from - offset, mapped, from, to - from);
        }
    }

    /**
     * Writes a range within the window to the file. On return the operating system has the bytes.
     */
    public void store(final int from, final int to) throws IOException
    {
        if (null == mapped)
        {
            file.write(from, range(from, to));
        }
        else
        {
            copy(from, to);
        }
    }

    /**
     * Copies a range into the mapped file, its first eight bytes last: a process that dies leaves all of it, or none.
     * <p>
     * The kernel rejects a store if no block can be allocated, as on a full copy-on-write file system. OpenJDK 17 skips
     * the rejected instruction and throws an InternalError at some later time, so the bytes have to be read back. This
     * misses a rejected store that is followed, in the same range and page, by a successful store: so all bytes that an
     * fsync covers are read back before it is acknowledged.
     */
    private void copy(final int from, final int to) throws IOException
    {
        final int index = from - offset;
        final long firstWord = buffer.getLong(index);
        mapped.put(from + Long.BYTES, buffer, index + Long.BYTES, to - from - Long.BYTES);
        LONG.setRelease(mapped, from, firstWord);
        // Without the fence the compiler would reuse the stored value instead of reading it.
        VarHandle.acquireFence();
        // The second word is a sequence. It differs from the previous bytes, which are zero (also after a truncation)
        // or of the file's previous use. So within one page it stands for the others.
        final boolean isSame = firstWord == (long)LONG.getVolatile(mapped, from) &&
            buffer.getLong(index + Long.BYTES) == (long)LONG.getVolatile(mapped, from + Long.BYTES);
        final boolean isInOnePage = (from ^ (to - 1)) < BLOCK_LENGTH;
        if (!isSame || !isInOnePage && isDifferent(from, to))
        {
            throw lost(from);
        }
    }

    private boolean isDifferent(final int from, final int to)
    {
        if (null == mappedView)
        {
            mappedView = mapped.duplicate();
        }
        return range(from, to).mismatch(mappedView.limit(to).position(from)) >= 0;
    }

    private IOException lost(final int from)
    {
        Throwable cause = null;
        try
        {
            PendingFault.check();
        }
        catch (final InternalError ex)
        {
            cause = ex;
        }
        return new IOException(
            "bytes stored into a mapped file are not in it, as on a full device that copies what is written again: " +
                "offset=" + from,
            cause);
    }

    /**
     * Detaches the window from its file.
     */
    public void detach()
    {
        file = null;
        fileLength = 0;
        offset = 0;
        end = 0;
        mapped = null;
        mappedView = null;
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

    /**
     * Releases all memory. The window must not be used again.
     */
    public void release()
    {
        detach();
        buffer = null;
        transfer = null;
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
        // Both views are replaced, or neither if there is no memory.
        final ByteBuffer duplicate = allocated.duplicate();
        buffer = allocated;
        transfer = duplicate;
    }
}
