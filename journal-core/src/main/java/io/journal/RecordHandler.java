// SPDX-License-Identifier: Apache-2.0
package io.journal;

import org.agrona.DirectBuffer;

/**
 * Callback invoked once per record.
 */
@FunctionalInterface
public interface RecordHandler
{
    /**
     * Handles a record. If it throws, the reader stays at this record and passes it again.
     *
     * @param buffer holds the record; the buffer and its content are valid during the call only. It reads numbers in
     *               the processor's byte order unless the call names another: a {@code long} that was put into a
     *               {@link java.nio.ByteBuffer} is {@code getLong(offset, ByteOrder.BIG_ENDIAN)}.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes.
     * @param header metadata of the record; valid during the call only.
     */
    void onRecord(DirectBuffer buffer, int offset, int length, Header header);

    /** Metadata of a record. Valid during the call that it was passed to. */
    interface Header
    {
        /** {@return the record's address: its number, from 1, without gaps} */
        long sequence();

        /** {@return the user's value stored with the record} */
        long tag();

        /** {@return the position in bytes where the record's frame begins, for diagnostics} */
        long position();
    }

    /** Callback invoked once per record, which returns how to continue. */
    @FunctionalInterface
    interface Controlled
    {
        /**
         * Handles a record. If it throws, the reader stays at this record and passes it again.
         *
         * @param buffer holds the record; the buffer and its content are valid during the call only.
         * @param offset of the record in the buffer.
         * @param length of the record in bytes.
         * @param header metadata of the record; valid during the call only.
         * @return how to continue; null counts as throwing a {@link NullPointerException}.
         */
        Action onRecord(DirectBuffer buffer, int offset, int length, Header header);
    }

    /** What happens to a record, and to the poll, after a {@link Controlled} handler. */
    enum Action
    {
        /** Stop. The record does not count as read: it is passed again next time. */
        ABORT,
        /** Stop after this record. */
        BREAK,
        /** Continue, and publish through {@link JournalReader#nextSequence()} that this record is read. */
        COMMIT,
        /** Continue. */
        CONTINUE
    }
}
