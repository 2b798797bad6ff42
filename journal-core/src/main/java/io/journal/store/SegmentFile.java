// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * An open file of a {@link SegmentStore}.
 * <p>
 * Reads and writes are positional and complete: a short transfer is continued or throws. Thread-safe, with two
 * exceptions: one thread at a time calls {@link #force}, and the owner calls {@link #close()} once the file is no
 * longer in use. Operations are not interruptible: an interrupt of the calling thread neither ends an operation nor
 * closes the file.
 */
public interface SegmentFile extends AutoCloseable
{
    /**
     * Current length of the file.
     *
     * @return length in bytes.
     * @throws IOException if the length cannot be determined.
     */
    long length() throws IOException;

    /**
     * Fills the remaining bytes of a buffer.
     *
     * @param offset in the file of the first byte.
     * @param target filled from its position to its limit.
     * @throws java.io.EOFException if the file ends earlier; the target's position is then undefined.
     * @throws IOException          if the bytes cannot be read.
     */
    void read(long offset, ByteBuffer target) throws IOException;

    /**
     * Writes the remaining bytes of a buffer. On return the operating system has them; they are durable after the next
     * {@link #force}. Bytes beyond the end extend a file that is not mapped; {@link #force} also makes the new length
     * durable.
     *
     * @param offset in the file of the first byte, at most its length.
     * @param source written from its position to its limit.
     * @throws SegmentStore.NoSpaceException if the device is full.
     * @throws IOException      if not all bytes could be written.
     */
    void write(long offset, ByteBuffer source) throws IOException;

    /**
     * Maps the whole file as shared memory, little-endian. Each call returns the same memory, which is valid until
     * {@link #release()} or {@link #close()}.
     *
     * @return the memory, read-only if the file is open for reading.
     * @throws IOException if the file cannot be mapped.
     */
    ByteBuffer map() throws IOException;

    /**
     * Unmaps the memory of {@link #map()} where that makes a force cheaper. The caller must no longer access that
     * memory. Changes made through it are covered by the next {@link #force}.
     */
    void release();

    /**
     * Faults in the pages of a range that is about to be changed through {@link #map()}, if the file is mapped. Changes
     * no byte. Ends when another thread releases or closes the file, which need not wait long. By default does nothing.
     *
     * @param from offset of the first byte.
     * @param to   offset after the last byte, not after the end of the file.
     * @throws IOException if a page cannot be allocated.
     */
    default void warm(final int from, final int to) throws IOException
    {
    }

    /**
     * Fsyncs a range, whether its bytes were written or changed through {@link #map()}. One thread at a time forces a
     * file; reads and writes of other threads may be in flight.
     * <p>
     * After a failure the durable state of the bytes is unknown. The operating system reports the error once, so a
     * retry that succeeds proves nothing.
     *
     * @param from offset of the first byte.
     * @param to   offset after the last byte.
     * @throws IOException if the fsync fails, or the file has become shorter than {@code to}.
     */
    void force(long from, long to) throws IOException;

    /** Closes the file and unmaps its memory. Idempotent. */
    @Override
    void close();
}
