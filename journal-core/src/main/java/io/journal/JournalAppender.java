// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.nio.ByteBuffer;

import io.journal.internal.buffer.ByteBufferView;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * Appends records, one by one or several as an atomic batch. Each record carries a <em>tag</em>: 64 bits for the user,
 * such as a type, a stream or a time. Overloads without a tag write 0.
 * <p>
 * The bytes of a record are stored as they are; the journal has no byte order. Name the byte order where numbers are
 * put and where they are read: a {@link ByteBuffer} is big-endian unless changed, and Agrona's buffers use the
 * processor's order, mostly little-endian, unless a call names another order.
 * <p>
 * {@link Journal#appender()} is exclusive: it is for one thread at a time, and can claim room for a record, to be
 * filled in place. {@link Journal#sharedAppender()} is for any number of threads: appends are serialized by a lock,
 * records get their sequences in the order in which threads enter, and one fsync serves all threads that have appended
 * by then (group commit).
 * <p>
 * When an append method returns, the record is written: it survives a crash of this process. (With
 * {@link JournalBuilder#writeWindow(int)}, and with {@link io.journal.store.Backend#DIRECT} unless the window is 0, it
 * may stay in memory until the window is written.) Once {@link Journal#forcedSequence()} has reached it, it is durable:
 * it survives a loss of power. Under {@link ForcePolicy#everyRecord()} it is durable on return. No call allocates per
 * record, unless it waits for another thread's lock or fsync.
 * <p>
 * Every append method throws
 * <ul>
 * <li>{@link IllegalArgumentException} for a record that is not allowed: nothing was written;</li>
 * <li>{@link IllegalStateException} if the journal is closed or a claim is open: nothing was written. Under
 * {@link ForcePolicy#everyRecord()} also if the journal was closed, or the record truncated, before it was
 * durable;</li>
 * <li>{@link JournalFullException} if there is no space for the next segment, or for the rest of this one after an
 * opening: nothing was written, and the same call succeeds once there is space;</li>
 * <li>{@link JournalException} if the next segment could not be created for another reason: nothing was written, and
 * the same call may succeed later. Or if storage failed: nothing more is acknowledged, close the journal and reopen it
 * to recover; only then is it known whether the record is there.</li>
 * </ul>
 */
public abstract class JournalAppender
{
    /** Returned by the conditional methods if the newest record is not the expected one. */
    public static final long MISMATCH = -1;

    /** Expected sequence that every newest record matches: append unconditionally. */
    public static final long ANY = -2;

    /** Constructor for engines that keep a journal elsewhere. Applications take an appender from a journal. */
    protected JournalAppender()
    {
    }

    /**
     * Wraps a whole array, as {@link #wrap(ByteBuffer)} does.
     *
     * @param array to be read and written through the result.
     * @return a buffer of the array's length.
     */
    public static MutableDirectBuffer wrap(final byte[] array)
    {
        return wrap(ByteBuffer.wrap(array));
    }

    /**
     * Wraps the remaining bytes of a buffer in one of Agrona's type that needs no JVM flag: index 0 of the result is
     * the buffer's current position. (Agrona's {@code wrap(ByteBuffer)} takes the whole buffer.) Changing position,
     * limit or order later does not change the result.
     * <p>
     * Agrona's own buffers fail without {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}. The same calls
     * produce the same bytes here, so SBE codecs encode into them unchanged. The differences:
     * <ul>
     *     <li>every access is checked against the wrapped region, whatever {@code agrona.disable.bounds.checks}
     *     says;</li>
     *     <li>over a read-only {@link ByteBuffer} each put throws {@link java.nio.ReadOnlyBufferException};</li>
     *     <li>the limit of a {@link ByteBuffer} that is copied from or into is respected;</li>
     *     <li>the memory itself is not exposed: {@code byteArray()} and {@code byteBuffer()} return null and
     *     {@code addressOffset()} throws {@link UnsupportedOperationException}. So Agrona's {@code UnsafeBuffer} can
     *     neither wrap such a buffer nor take it as the {@code DirectBuffer} to copy from: call {@code getBytes} of
     *     this buffer with the {@code UnsafeBuffer} as destination. After a failed wrap an {@code UnsafeBuffer} must be
     *     wrapped again before use: it has already taken the capacity, but not the memory.</li>
     * </ul>
     * Many threads may read a buffer; only one at a time may put into it or wrap something else.
     *
     * @param buffer on the heap, direct or mapped; if it is read-only, so is the result.
     * @return a buffer over the remaining bytes.
     */
    public static MutableDirectBuffer wrap(final ByteBuffer buffer)
    {
        final ByteBufferView view = new ByteBufferView();
        view.wrap(buffer, buffer.position(), buffer.remaining());
        return view;
    }

    /**
     * Appends a record.
     *
     * @param tag    the user's value stored with the record.
     * @param record holds the bytes.
     * @param offset of the record in the array.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record.
     */
    public long append(final long tag, final byte[] record, final int offset, final int length)
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
    public long append(final long tag, final ByteBuffer record, final int offset, final int length)
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
    public long append(final long tag, final DirectBuffer record, final int offset, final int length)
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
    public long append(final RecordBatch batch)
    {
        return appendIf(ANY, batch);
    }

    /**
     * Appends a record if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows: {@link Journal#lastSequence()}, or {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the array.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    public abstract long appendIf(long expectedSequence, long tag, byte[] record, int offset, int length);

    /**
     * Appends a record if the newest record is still the one the caller knows. The buffer's position and limit stay as
     * they are.
     *
     * @param expectedSequence of the newest record the caller knows: {@link Journal#lastSequence()}, or {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the buffer, as an absolute index.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}; it ends below the limit.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    public abstract long appendIf(long expectedSequence, long tag, ByteBuffer record, int offset, int length);

    /**
     * Appends a record if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows: {@link Journal#lastSequence()}, or {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @param offset           of the record in the buffer.
     * @param length           of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    public abstract long appendIf(long expectedSequence, long tag, DirectBuffer record, int offset, int length);

    /**
     * Appends the records of a batch if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows: {@link Journal#lastSequence()}, or {@link #ANY}.
     * @param batch            as in {@link #append(RecordBatch)}.
     * @return sequence of the last record; or {@link #MISMATCH} if nothing was written.
     */
    public long appendIf(final long expectedSequence, final RecordBatch batch)
    {
        return appendFrames(expectedSequence, batch.frames(), batch.length(), batch.longestRecord());
    }

    /**
     * Appends a batch, for {@link #appendIf(long, RecordBatch)}.
     *
     * @param expectedSequence of the newest record, or {@link #ANY}.
     * @param frames           of the records, each aligned, from index 0 on, without sequences and checksums.
     * @param length           of all frames in bytes.
     * @param longestRecord    length of the longest record in bytes.
     * @return sequence of the last record, or {@link #MISMATCH}.
     */
    protected abstract long appendFrames(long expectedSequence, ByteBuffer frames, int length, int longestRecord);

    /** {@return the length of the longest record in bytes} */
    public abstract int maxRecordLength();

    /**
     * Appends a record with tag 0.
     *
     * @param record holds the bytes.
     * @return sequence of the record.
     */
    public long append(final byte[] record)
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
    public long append(final long tag, final byte[] record)
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
    public long append(final byte[] record, final int offset, final int length)
    {
        return append(0, record, offset, length);
    }

    /**
     * Appends the remaining bytes of a buffer as a record with tag 0. The buffer's position and limit stay as they are.
     *
     * @param record the bytes from the buffer's position to its limit.
     * @return sequence of the record.
     */
    public long append(final ByteBuffer record)
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
    public long append(final long tag, final ByteBuffer record)
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
    public long append(final DirectBuffer record, final int offset, final int length)
    {
        return append(0, record, offset, length);
    }

    /**
     * Appends a record if the newest record is still the one the caller knows.
     *
     * @param expectedSequence of the newest record the caller knows: {@link Journal#lastSequence()}, or {@link #ANY}.
     * @param tag              the user's value stored with the record.
     * @param record           holds the bytes.
     * @return sequence of the record, which is the next one; or {@link #MISMATCH} if nothing was written.
     */
    public long appendIf(final long expectedSequence, final long tag, final byte[] record)
    {
        return appendIf(expectedSequence, tag, record, 0, record.length);
    }

    /**
     * Claims room for a record with a tag.
     *
     * @param tag    the user's value stored with the record.
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return the claim, for use with try-with-resources.
     * @throws IllegalStateException if the appender is shared: see {@link #claim(int)}.
     */
    public RecordClaim claim(final long tag, final int length)
    {
        return claim(length).tag(tag);
    }

    /**
     * Claims memory for a record, which the caller fills instead of its own buffer. Until the claim is committed or
     * closed, nothing else can be appended. Whether there is space for the record shows when it is committed.
     *
     * @param length of the record in bytes, 0 to {@link #maxRecordLength()}.
     * @return the claim, for use with try-with-resources.
     * @throws IllegalStateException if the appender is shared, since a claim would keep the other threads waiting.
     */
    public abstract RecordClaim claim(int length);
}
