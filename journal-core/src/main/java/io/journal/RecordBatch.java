// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.internal.format.FrameHeader;
import org.agrona.DirectBuffer;

/**
 * Records to append atomically, all or none: see {@link JournalAppender#append(RecordBatch)}.
 * <p>
 * Collects copies of the records in memory of its own, which grows as needed and is kept by {@link #clear()}, so that a
 * reused batch allocates nothing. Each record takes 24 bytes of overhead, as without a batch. Not thread-safe.
 */
public final class RecordBatch
{
    private static final int INITIAL_LENGTH = 1024;
    private static final int MAX_LENGTH = FrameHeader.MAX_RECORD_LENGTH;

    // The records' frames, without checksums and sequences.
    private ByteBuffer frames = allocate(INITIAL_LENGTH);
    private int length;
    private int lastFrame;
    private int count;
    private int longestRecord;

    /** Constructs an empty batch. */
    public RecordBatch()
    {
    }

    /**
     * Adds a record with tag 0.
     *
     * @param record holds the bytes.
     * @return this batch.
     * @throws IllegalArgumentException if the batch would take more than 16 MiB; it stays as it was.
     */
    public RecordBatch add(final byte[] record)
    {
        return add(0, record, 0, record.length);
    }

    /**
     * Adds a record.
     *
     * @param tag    the user's value stored with the record.
     * @param record holds the bytes.
     * @return this batch.
     * @throws IllegalArgumentException if the batch would take more than 16 MiB; it stays as it was.
     */
    public RecordBatch add(final long tag, final byte[] record)
    {
        return add(tag, record, 0, record.length);
    }

    /**
     * Adds a record.
     *
     * @param tag    the user's value stored with the record.
     * @param record holds the bytes.
     * @param offset of the record in the array.
     * @param length of the record in bytes, 0 or more.
     * @return this batch.
     * @throws IllegalArgumentException if the record is outside the array, or the batch would take more than 16 MiB; it
     *                                  stays as it was.
     */
    public RecordBatch add(final long tag, final byte[] record, final int offset, final int length)
    {
        final int index = begin(offset, length, record.length);
        frames.put(index, record, offset, length);
        return end(tag, length);
    }

    /**
     * Adds the remaining bytes of a buffer as a record. The buffer's position and limit stay as they are.
     *
     * @param tag    the user's value stored with the record.
     * @param record the bytes from the buffer's position to its limit.
     * @return this batch.
     * @throws IllegalArgumentException if the batch would take more than 16 MiB; it stays as it was.
     */
    public RecordBatch add(final long tag, final ByteBuffer record)
    {
        final int length = record.remaining();
        final int index = begin(record.position(), length, record.limit());
        frames.put(index, record, record.position(), length);
        return end(tag, length);
    }

    /**
     * Adds a record.
     *
     * @param tag    the user's value stored with the record.
     * @param record holds the bytes.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes, 0 or more.
     * @return this batch.
     * @throws IllegalArgumentException if the record is outside the buffer, or the batch would take more than 16 MiB;
     *                                  it stays as it was.
     */
    public RecordBatch add(final long tag, final DirectBuffer record, final int offset, final int length)
    {
        final int index = begin(offset, length, record.capacity());
        record.getBytes(offset, frames, index, length);
        return end(tag, length);
    }

    /** Empties the batch; its memory is kept. */
    public void clear()
    {
        length = 0;
        count = 0;
        longestRecord = 0;
    }

    /** {@return the number of records} */
    public int count()
    {
        return count;
    }

    @Override
    public String toString()
    {
        return "RecordBatch{count=" + count + ", length=" + length + '}';
    }

    /** The records' frames, each aligned, from index 0 on. */
    ByteBuffer frames()
    {
        return frames;
    }

    /** Length of all frames. */
    int length()
    {
        return length;
    }

    int longestRecord()
    {
        return longestRecord;
    }

    private int begin(final int offset, final int recordLength, final int available)
    {
        if (recordLength < 0 || offset < 0 || offset > available - recordLength)
        {
            throw new IllegalArgumentException(
                "record outside its buffer: offset=" + offset + ", length=" + recordLength +
                    ", available=" + available);
        }

        final long end =
            (long)length + FrameHeader.LENGTH + recordLength + FrameHeader.ALIGNMENT - 1 & -FrameHeader.ALIGNMENT;
        if (end > MAX_LENGTH)
        {
            throw new IllegalArgumentException(
                "batch too long: count=" + count + ", length=" + length + ", record=" + recordLength +
                    ", maxLength=" + MAX_LENGTH);
        }

        if (end > frames.capacity())
        {
            final ByteBuffer longer = allocate((int)Math.min(MAX_LENGTH, Math.max(end, 2L * length)));
            longer.put(0, frames, 0, length);
            frames = longer;
        }

        return length + FrameHeader.LENGTH;
    }

    private RecordBatch end(final long tag, final int recordLength)
    {
        if (count > 0)
        {
            frames.putInt(lastFrame, frames.getInt(lastFrame) | FrameHeader.MORE);
        }
        final int frameLength = FrameHeader.LENGTH + recordLength;
        final int end = length + FrameHeader.align(frameLength);
        frames.putLong(length, frameLength);
        FrameHeader.begin(frames, length, 0, tag);
        for (int i = length + frameLength; i < end; i++)
        {
            frames.put(i, (byte)0);
        }

        lastFrame = length;
        length = end;
        count++;
        longestRecord = Math.max(longestRecord, recordLength);
        return this;
    }

    private static ByteBuffer allocate(final int length)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
