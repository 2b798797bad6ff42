package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Memory through which part of a segment is accessed: the interface between the journal and a backend.
 * <p>
 * Frames are composed and read in the window's memory with plain arithmetic, so the backend is called per window and
 * not per access. A mapped window is the segment itself; other windows have their own memory, which {@link #load}
 * fills from the file and {@link #store} writes to it.
 * <p>
 * A window is confined to one thread, with one exception: another thread may call {@link #store} for bytes that the
 * owner no longer changes, if it ensures that the window is neither moved nor attached meanwhile.
 */
public interface Window
{
    /**
     * Creates a window with its own heap memory, whatever the backend, for callers that must not incur the page faults
     * of a mapping.
     *
     * @param length initial length of the memory in bytes.
     * @return a window that is not attached to a file.
     */
    static Window copying(final int length)
    {
        return new StagingWindow(length, ByteBuffer::allocate);
    }

    /**
     * Attaches the window to another file. The window covers nothing until it is moved.
     *
     * @param file to attach to; opened by the store that created the window.
     * @throws IOException if the file cannot be mapped.
     */
    void attach(SegmentFile file) throws IOException;

    /**
     * Moves the window so that it covers at least the given range. The content of a window with its own memory is
     * undefined afterwards.
     *
     * @param offset of the first byte to cover.
     * @param length of the range in bytes, within the file.
     */
    void move(int offset, int length);

    /**
     * The window's memory, little-endian; index 0 is {@link #offset()}. Changes when the window is moved or attached.
     *
     * @return the memory; its position and limit are free for use by the window's owner.
     */
    ByteBuffer buffer();

    /**
     * Start of the window.
     *
     * @return offset in the file of the first byte covered.
     */
    int offset();

    /**
     * End of the window.
     *
     * @return offset in the file after the last byte covered.
     */
    int end();

    /**
     * Whether the window's memory is that of the file, so that nothing needs to be loaded or stored.
     *
     * @return true for a mapped window.
     */
    boolean isShared();

    /**
     * Reads bytes of the file into the window's memory.
     *
     * @param from offset in the file of the first byte, within the window.
     * @param to   offset in the file after the last byte, within the window.
     * @throws IOException if the bytes cannot be read.
     */
    void load(int from, int to) throws IOException;

    /**
     * Writes bytes of the window's memory to the file. On return the operating system has them.
     *
     * @param from offset in the file of the first byte, within the window.
     * @param to   offset in the file after the last byte, within the window.
     * @throws IOException if not all of the bytes could be written.
     */
    void store(int from, int to) throws IOException;

    /**
     * Detaches the window from its file; its memory must no longer be used.
     */
    void detach();
}
