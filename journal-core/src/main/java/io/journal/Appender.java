package io.journal;

import java.nio.ByteBuffer;

import org.agrona.DirectBuffer;

/**
 * Appends records, one by one or several as an atomic batch. Each record carries a <em>tag</em>, 64 bits that are the
 * user's: a type, a stream, a time. The short forms write 0.
 * <p>
 * {@link JournalAppender} is for one thread, {@link SharedAppender} for any number of them.
 * <p>
 * When a method that appends returns, the record is with the operating system and outlives a crash of this process
 * (with {@link JournalBuilder#writeWindow(int)} it may wait in memory until the window is written); once
 * {@link Journal#forcedSequence()} has reached it, it also survives a loss of power. Under
 * {@link ForcePolicy#everyRecord()} that is so when the method returns. No call allocates per record.
 * <p>
 * Every method that appends throws
 * <ul>
 * <li>{@link IllegalArgumentException} for a record that cannot be: nothing was written;</li>
 * <li>{@link JournalClosedException} if the journal is closed, and {@link IllegalStateException} if a claim is open:
 * nothing was written; under {@link ForcePolicy#everyRecord()} also if the journal was closed before the record was
 * forced;</li>
 * <li>{@link JournalFullException} if there is no space for the next segment: nothing was written, and the same call
 * works again once there is space;</li>
 * <li>{@link JournalException} if the next segment could not be made for another reason: nothing was written, and the
 * same call may work again; or if storage failed: nothing more is acknowledged, close the journal and reopen it to
 * recover. Whether the record is there is known after that.</li>
 * </ul>
 */
public interface Appender
{
    /** What the conditional methods return when others have appended meanwhile. */
    long MISMATCH = -1;

    /** As expected sequence: whatever others have appended. */
    long ANY = -2;

    /**
     * Appends a record.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @param offset of the record in the array.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    default long append(final long tag, final byte[] record, final int offset, final int length)
    {
        return appendIf(ANY, tag, record, offset, length);
    }

    /**
     * Appends a record. The buffer's position and limit stay as they are.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @param offset of the record in the buffer, as an absolute index.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}; it ends below the buffer's limit.
     * @return sequence of the record.
     */
    default long append(final long tag, final ByteBuffer record, final int offset, final int length)
    {
        return appendIf(ANY, tag, record, offset, length);
    }

    /**
     * Appends a record.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    default long append(final long tag, final DirectBuffer record, final int offset, final int length)
    {
        return appendIf(ANY, tag, record, offset, length);
    }

    /**
     * Appends the records of a batch, which stays as it is. After a crash all of them are there or none; readers see
     * them at once.
     *
     * @param batch of one record or more, none longer than {@link #maxRecordLength()}, which together fit a segment and
     *              take 16 MiB at most.
     * @return sequence of the last record; the others come right before it, in the order in which they were added.
     */
    default long append(final RecordBatch batch)
    {
        return appendIf(ANY, batch);
    }

    /**
     * Appends a record if no other came since the caller has looked.
     *
     * @param expectedSequence of the newest record that the caller knows of, as {@link Journal#lastSequence()} said, or
     *                         {@link #ANY}.
     * @param tag              the user's value beside the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the array.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH}, and nothing was written.
     */
    long appendIf(long expectedSequence, long tag, byte[] record, int offset, int length);

    /**
     * Appends a record if no other came since the caller has looked. The buffer's position and limit stay as they are.
     *
     * @param expectedSequence of the newest record that the caller knows of, as {@link Journal#lastSequence()} said, or
     *                         {@link #ANY}.
     * @param tag              the user's value beside the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the buffer, as an absolute index.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}; it ends below the limit.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH}, and nothing was written.
     */
    long appendIf(long expectedSequence, long tag, ByteBuffer record, int offset, int length);

    /**
     * Appends a record if no other came since the caller has looked.
     *
     * @param expectedSequence of the newest record that the caller knows of, as {@link Journal#lastSequence()} said, or
     *                         {@link #ANY}.
     * @param tag              the user's value beside the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the buffer.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH}, and nothing was written.
     */
    long appendIf(long expectedSequence, long tag, DirectBuffer record, int offset, int length);

    /**
     * Appends the records of a batch if no other record came since the caller has looked.
     *
     * @param expectedSequence of the newest record that the caller knows of, as {@link Journal#lastSequence()} said, or
     *                         {@link #ANY}.
     * @param batch            as in {@link #append(RecordBatch)}.
     * @return sequence of the last record; or {@link #MISMATCH}, and nothing was written.
     */
    long appendIf(long expectedSequence, RecordBatch batch);

    /**
     * Length of the longest record.
     *
     * @return length in bytes.
     */
    int maxRecordLength();

    /**
     * Appends a record with tag 0.
     *
     * @param record holds the bytes.
     * @return sequence of the record.
     */
    default long append(final byte[] record)
    {
        return append(0, record, 0, record.length);
    }

    /**
     * Appends a record.
     *
     * @param tag    the user's value beside the record.
     * @param record holds the bytes.
     * @return sequence of the record.
     */
    default long append(final long tag, final byte[] record)
    {
        return append(tag, record, 0, record.length);
    }

    /**
     * Appends a record with tag 0.
     *
     * @param record holds the bytes.
     * @param offset of the record in the array.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    default long append(final byte[] record, final int offset, final int length)
    {
        return append(0, record, offset, length);
    }

    /**
     * Appends what remains of a buffer as a record with tag 0. The buffer's position and limit stay as they are.
     *
     * @param record the bytes from the buffer's position to its limit.
     * @return sequence of the record.
     */
    default long append(final ByteBuffer record)
    {
        return append(0, record, record.position(), record.remaining());
    }

    /**
     * Appends what remains of a buffer as a record. The buffer's position and limit stay as they are.
     *
     * @param tag    the user's value beside the record.
     * @param record the bytes from the buffer's position to its limit.
     * @return sequence of the record.
     */
    default long append(final long tag, final ByteBuffer record)
    {
        return append(tag, record, record.position(), record.remaining());
    }

    /**
     * Appends a record with tag 0.
     *
     * @param record holds the bytes.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    default long append(final DirectBuffer record, final int offset, final int length)
    {
        return append(0, record, offset, length);
    }

    /**
     * Appends a record if no other came since the caller has looked.
     *
     * @param expectedSequence of the newest record that the caller knows of, as {@link Journal#lastSequence()} said, or
     *                         {@link #ANY}.
     * @param tag              the user's value beside the record.
     * @param record           holds the bytes.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH}, and nothing was written.
     */
    default long appendIf(final long expectedSequence, final long tag, final byte[] record)
    {
        return appendIf(expectedSequence, tag, record, 0, record.length);
    }
}
