package io.journal;

import java.nio.ByteBuffer;

import org.agrona.DirectBuffer;

/**
 * Appends records, one by one or several as an atomic batch. Each record carries a <em>tag</em>: 64 bits for the user,
 * such as a type, a stream or a time. Overloads without a tag write 0.
 * <p>
 * {@link JournalAppender} is for one thread, {@link SharedAppender} for any number of threads.
 * <p>
 * When an append method returns, the record is written: it survives a crash of this process. (With
 * {@link JournalBuilder#writeWindow(int)} it may stay in memory until the window is written.) Once
 * {@link Journal#forcedSequence()} has reached it, it is durable: it survives a loss of power. Under
 * {@link ForcePolicy#everyRecord()} it is durable on return. No call allocates per record.
 * <p>
 * Every append method throws
 * <ul>
 * <li>{@link IllegalArgumentException} for a record that is not allowed: nothing was written;</li>
 * <li>{@link JournalClosedException} if the journal is closed, and {@link IllegalStateException} if a claim is open:
 * nothing was written. Under {@link ForcePolicy#everyRecord()} the former also if the journal was closed before the
 * record was durable;</li>
 * <li>{@link JournalFullException} if there is no space for the next segment: nothing was written, and the same call
 * succeeds once there is space;</li>
 * <li>{@link JournalException} if the next segment could not be created for another reason: nothing was written, and
 * the same call may succeed later. Or if storage failed: nothing more is acknowledged, close the journal and reopen it
 * to recover; only then is it known whether the record is there.</li>
 * </ul>
 */
public interface Appender
{
    /** Returned by the conditional methods if the newest record is not the expected one. */
    long MISMATCH = -1;

    /** As expected sequence: append unconditionally. */
    long ANY = -2;

    /**
     * Appends a record.
     *
     * @param tag    the user's value stored with the record.
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
     * @param tag    the user's value stored with the record.
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
     * @param tag    the user's value stored with the record.
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
     * Appends the records of a batch atomically: after a crash all of them are there or none, and readers see all of
     * them at once. The batch is not changed.
     *
     * @param batch of one or more records, none longer than {@link #maxRecordLength()}; together they fit a segment and
     *              take at most 16 MiB.
     * @return sequence of the last record; the others directly precede it, in the order in which they were added.
     */
    default long append(final RecordBatch batch)
    {
        return appendIf(ANY, batch);
    }

    /**
     * Appends a record if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows, as returned by {@link Journal#lastSequence()}, or
     *                         {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the array.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    long appendIf(long expectedSequence, long tag, byte[] record, int offset, int length);

    /**
     * Appends a record if the newest record is still the one the caller knows. The buffer's position and limit stay as
     * they are.
     *
     * @param expectedSequence of the newest record the caller knows, as returned by {@link Journal#lastSequence()}, or
     *                         {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the buffer, as an absolute index.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}; it ends below the limit.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    long appendIf(long expectedSequence, long tag, ByteBuffer record, int offset, int length);

    /**
     * Appends a record if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows, as returned by {@link Journal#lastSequence()}, or
     *                         {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the buffer.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    long appendIf(long expectedSequence, long tag, DirectBuffer record, int offset, int length);

    /**
     * Appends the records of a batch if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows, as returned by {@link Journal#lastSequence()}, or
     *                         {@link #ANY}.
     * @param batch            as in {@link #append(RecordBatch)}.
     * @return sequence of the last record; or {@link #MISMATCH} if nothing was written.
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
     * @param tag    the user's value stored with the record.
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
     * Appends the remaining bytes of a buffer as a record with tag 0. The buffer's position and limit stay as they are.
     *
     * @param record the bytes from the buffer's position to its limit.
     * @return sequence of the record.
     */
    default long append(final ByteBuffer record)
    {
        return append(0, record, record.position(), record.remaining());
    }

    /**
     * Appends the remaining bytes of a buffer as a record. The buffer's position and limit stay as they are.
     *
     * @param tag    the user's value stored with the record.
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
     * Appends a record if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows, as returned by {@link Journal#lastSequence()}, or
     *                         {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    default long appendIf(final long expectedSequence, final long tag, final byte[] record)
    {
        return appendIf(expectedSequence, tag, record, 0, record.length);
    }
}
