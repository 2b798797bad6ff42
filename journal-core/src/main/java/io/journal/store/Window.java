package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Memory through which part of a segment is seen: the seam between the journal and a backend.
 * <p>
 * Frames are composed and read in the window's memory with plain arithmetic, so the backend is called per window and
 * not per access. A mapped window is the segment itself; others have memory of their own, which {@link #load} fills
 * from the file and {@link #store} writes to it.
 * <p>
 * A window belongs to one thread, except that {@link #store} may be called by another thread for bytes that its owner
 * no longer changes, if the caller sees to it that the window is neither moved nor attached meanwhile.
 */
public interface Window
{
    /**
     * A window with heap memory of its own, whatever the backend, for those who must not meet a mapping's faults.
     *
     * @param length of the memory to begin with, in bytes.
     * @return a window that is not attached to a file.
     */
    static Window copying(final int length)
    {
        return new StagingWindow(length, ByteBuffer::allocate);
    }

    /**
     * Shows another file. The window covers nothing until it is moved.
     *
     * @param file to be shown; opened by the store that made the window.
     * @throws IOException if the file cannot be mapped.
     */
    void attach(SegmentFile file) throws IOException;

    /**
     * Moves the window so that it covers at least a range. Windows with memory of their own hold undefined bytes after
     * it.
     *
     * @param offset of the first byte to be covered.
     * @param length of the range in bytes, within the file.
     */
    void move(int offset, int length);

    /**
     * The window's memory, little-endian, index 0 at {@link #offset()}. Changes when the window is moved or attached.
     *
     * @return the memory; its position and limit are the window owner's to use.
     */
    ByteBuffer buffer();

    /**
     * Where the window begins.
     *
     * @return offset in the file of the first byte covered.
     */
    int offset();

    /**
     * Where the window ends.
     *
     * @return offset in the file behind the last byte covered.
     */
    int end();

    /**
     * Whether the window's memory is the file's, so that nothing needs loading or storing.
     *
     * @return true for a mapped window.
     */
    boolean isShared();

    /**
     * Brings bytes of the file into the window's memory.
     *
     * @param from offset in the file of the first byte, within the window.
     * @param to   offset in the file behind the last byte, within the window.
     * @throws IOException if the bytes cannot be read.
     */
    void load(int from, int to) throws IOException;

    /**
     * Hands bytes of the window's memory to the operating system.
     *
     * @param from offset in the file of the first byte, within the window.
     * @param to   offset in the file behind the last byte, within the window.
     * @throws IOException if not all of the bytes could be written.
     */
    void store(int from, int to) throws IOException;

    /**
     * Shows no file any more and gives up the window's memory.
     */
    void detach();
}
