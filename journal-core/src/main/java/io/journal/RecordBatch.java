package io.journal;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import io.journal.internal.format.FrameHeader;
import org.agrona.DirectBuffer;

/**
 * Records to append atomically, all or none: see {@link JournalAppender#append(RecordBatch)}.
 * <p>
 * Collects copies of the records in memory of its own, which grows as needed and is kept by {@link #clear()}, so that a
 * reused batch allocates nothing. Each record takes 16 bytes of overhead, the batch 32. Not thread-safe.
 */
public final class RecordBatch
{
    private static final int INITIAL_LENGTH = 1024;
    private static final int ENTRIES_OFFSET = FrameHeader.BATCH_ENTRIES_OFFSET - FrameHeader.LENGTH;
    private static final int MAX_LENGTH = FrameHeader.MAX_LENGTH - FrameHeader.LENGTH;

    // The body of the batch's frame: the number of records, and the entries.
    private ByteBuffer body = allocate(INITIAL_LENGTH);
    private int length = ENTRIES_OFFSET;
    private int count;
    private int longestRecord;

    /**
     * Constructs an empty batch.
     */
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
        body.put(index, record, offset, length);
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
        body.put(index, record, record.position(), length);
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
        record.getBytes(offset, body, index, length);
        return end(tag, length);
    }

    /**
     * Empties the batch; its memory is kept.
     */
    public void clear()
    {
        length = ENTRIES_OFFSET;
        count = 0;
        longestRecord = 0;
    }

    /**
     * Number of records.
     *
     * @return the number.
     */
    public int count()
    {
        return count;
    }

    @Override
    public String toString()
    {
        return "RecordBatch{count=" + count + ", frameLength=" + (FrameHeader.LENGTH + length) + '}';
    }

    /**
     * Body of the batch's frame, from index 0 on.
     */
    ByteBuffer body()
    {
        return body;
    }

    int bodyLength()
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
            (long)length + FrameHeader.BATCH_ENTRY_HEADER_LENGTH + recordLength + FrameHeader.ALIGNMENT - 1 &
                -FrameHeader.ALIGNMENT;
        if (end > MAX_LENGTH)
        {
            throw new IllegalArgumentException(
                "batch too long: count=" + count + ", length=" + length + ", record=" + recordLength +
                    ", maxLength=" + MAX_LENGTH);
        }

        if (end > body.capacity())
        {
            final ByteBuffer longer = allocate((int)Math.min(MAX_LENGTH, Math.max(end, 2L * length)));
            longer.put(0, body, 0, length);
            body = longer;
        }

        return length + FrameHeader.BATCH_ENTRY_HEADER_LENGTH;
    }

    private RecordBatch end(final long tag, final int recordLength)
    {
        final int index = length;
        final int end = index + FrameHeader.align(FrameHeader.BATCH_ENTRY_HEADER_LENGTH + recordLength);
        body.putInt(index, recordLength);
        body.putInt(index + Integer.BYTES, 0);
        body.putLong(index + Long.BYTES, tag);
        for (int i = index + FrameHeader.BATCH_ENTRY_HEADER_LENGTH + recordLength; i < end; i++)
        {
            body.put(i, (byte)0);
        }

        length = end;
        count++;
        body.putInt(0, count);
        longestRecord = Math.max(longestRecord, recordLength);
        return this;
    }

    private static ByteBuffer allocate(final int length)
    {
        return ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    }
}
