package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.CorruptJournalException;

/**
 * A segment as far as it is loaded through a window. For use by one thread at a time.
 */
abstract class LoadedSegment implements AutoCloseable
{
    private static final int PAGE_LENGTH = 4096;

    Segment segment;
    ByteBuffer buffer;
    ByteBuffer view;
    // In the buffer, of the range that ensure() was called for, or of the frame that is shown.
    int index;

    private final Window window;
    private final boolean isShared;
    private int windowOffset;
    private int loadedEnd;
    private long loads;
    private int readAhead = Integer.MAX_VALUE;
    // Prevents the accesses of touch from being optimised away.
    private int touched;

    LoadedSegment(final Window window)
    {
        this.window = window;
        isShared = window.isShared();
    }

    /** Limits what is read beyond what is required: a window that has grown for a large record is large. */
    public final void readAhead(final int length)
    {
        readAhead = length;
    }

    /**
     * Attaches the cursor to a segment, which it closes, also if this throws. Discards everything read before.
     *
     * @throws CorruptJournalException if the file was cut short since the segment was opened, and is mapped.
     */
    public final void attach(final Segment segment) throws IOException
    {
        close();
        try
        {
            window.attach(segment.file);
            if (isShared && window.end() < segment.length)
            {
                throw Segment.wrongLength(segment.name(), segment.length, window.end());
            }
            this.segment = segment;
        }
        catch (final Throwable ex)
        {
            window.detach();
            segment.close();
            throw ex;
        }
    }

    public final Segment segment()
    {
        return segment;
    }

    /** Bytes of memory that the window itself holds. */
    public final int ownLength()
    {
        return window.ownLength();
    }

    /** Closes the segment, and releases the memory by which the window has grown for a long record. */
    public final void closeAndShrink()
    {
        close();
        window.shrink();
    }

    /** Whether frames are accessed in the mapped file. */
    public final boolean isMapped()
    {
        return isShared;
    }

    /** Memory that holds what is loaded. */
    public final ByteBuffer buffer()
    {
        return buffer;
    }

    /** Discards the loaded bytes, unless the window is mapped: the file may have changed since. */
    public final void forget()
    {
        if (!isShared)
        {
            loadedEnd = 0;
        }
    }

    /** Loads a range as a whole, unless it is loaded. */
    public final void cover(final int from, final int to, final int limit) throws IOException
    {
        ensure(from, to - from, limit);
    }

    /** Offset up to which the window is loaded. */
    public final int loadedEnd()
    {
        return loadedEnd;
    }

    /** Whether a range is loaded. */
    public final boolean isLoaded(final int from, final int to)
    {
        return from >= windowOffset && to <= loadedEnd;
    }

    /** Number of loads from the file. */
    public final long loads()
    {
        return loads;
    }

    @Override
    public void close()
    {
        window.detach();
        windowOffset = 0;
        loadedEnd = 0;
        // The memory of a mapped segment must not be accessed once the segment is closed.
        buffer = null;
        view = null;
        if (null != segment)
        {
            segment.close();
            segment = null;
        }
    }

    /** Loads a range unless it is loaded, and sets the index of its first byte. */
    final void ensure(final int offset, final int length, final int limit) throws IOException
    {
        if (offset < windowOffset || offset + length > loadedEnd)
        {
            load(offset, length, limit);
        }
        index = indexOf(offset);
    }

    /** Index in the buffer of a byte that is loaded. */
    final int indexOf(final int offset)
    {
        return offset - windowOffset;
    }

    private void load(final int offset, final int length, final int limit) throws IOException
    {
        // If reading fails, nothing is loaded: the window has moved.
        loadedEnd = 0;
        window.move(offset, length);
        windowOffset = window.offset();
        final ByteBuffer memory = window.buffer();
        if (memory != buffer)
        {
            // Both or, without memory, neither.
            view = memory.duplicate();
            buffer = memory;
        }

        final int end = isShared ? segment.length :
            Math.max(offset + length, (int)Math.min(Math.min(window.end(), limit), (long)offset + readAhead));
        window.load(offset, end);
        loadedEnd = end;
        loads++;
    }

    /**
     * Reads a byte of each page behind the first of a range at the index. If a mapped file was cut short, this throws
     * an error that can be caught; inside the checksum intrinsic it would crash the JVM.
     */
    final void touch(final int index, final int length)
    {
        if (isShared && (index & (PAGE_LENGTH - 1)) + length > PAGE_LENGTH)
        {
            touchPages(index, length);
        }
    }

    private void touchPages(final int index, final int length)
    {
        touched += buffer.get(index + length - 1);
        // The condition is that of the loop. With the loop alone, its bounds checks are made before it, fail near the
        // end of the buffer, and compile the loop around it again and again (OpenJDK 17).
        if (length > PAGE_LENGTH)
        {
            for (int i = index + PAGE_LENGTH; i < index + length; i += PAGE_LENGTH)
            {
                touched += buffer.get(i);
            }
        }
    }
}
