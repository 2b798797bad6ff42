package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file of a {@link SegmentStore}.
 * <p>
 * Reads and writes are positional and complete: what comes up short is continued or fails. Safe for use by several
 * threads, except for {@link #close()}, which is for the owner when nobody uses the file any more. An interrupt of the
 * calling thread neither ends an operation nor closes the file.
 */
public interface SegmentFile extends AutoCloseable
{
    /**
     * Length of the file as it is now.
     *
     * @return length in bytes.
     * @throws IOException if it cannot be told.
     */
    long length() throws IOException;

    /**
     * Fills what remains of a buffer.
     *
     * @param offset in the file of the first byte.
     * @param target filled from its position to its limit.
     * @throws java.io.EOFException if the file ends before; the target's position is then undefined.
     * @throws IOException          if the bytes cannot be read.
     */
    void read(long offset, ByteBuffer target) throws IOException;

    /**
     * Writes what remains of a buffer: on return it is with the operating system. Bytes beyond the end extend a file
     * that is not mapped; how long it is, is durable with the next {@link #force}.
     *
     * @param offset in the file of the first byte, at most its length.
     * @param source written from its position to its limit.
     * @throws NoSpaceException if the device is full.
     * @throws IOException      if not all bytes could be written.
     */
    void write(long offset, ByteBuffer source) throws IOException;

    /**
     * The whole file as shared memory, little-endian; the same on every call, gone with {@link #release()} or
     * {@link #close()}.
     *
     * @return the memory, read-only if the file is open for reading.
     * @throws IOException if the file cannot be mapped.
     */
    ByteBuffer map() throws IOException;

    /**
     * Takes the memory of {@link #map()} away where that makes a force cheaper: nobody looks at it or changes it any
     * more. What was changed through it is forced by the next {@link #force}.
     */
    void release();

    /**
     * Brings the file into memory before it is written through a window, without changing a byte.
     *
     * @throws IOException if the file cannot be read or mapped.
     */
    void warm() throws IOException;

    /**
     * Forces bytes to the device, whether written or changed through {@link #map()}.
     * <p>
     * After a failure nothing may be concluded about the bytes: the error is told once, and forcing again proves
     * nothing.
     *
     * @param from offset of the first byte.
     * @param to   offset behind the last byte.
     * @throws IOException if the device does not confirm it, or the file has become shorter than {@code to}.
     */
    void force(long from, long to) throws IOException;

    /**
     * Closes the file and takes its memory away. May be called twice.
     */
    @Override
    void close();
}
