package io.journal;

import org.agrona.DirectBuffer;

/**
 * Callback invoked once per record; returns how to continue.
 */
@FunctionalInterface
public interface ControlledRecordHandler
{
    /**
     * What happens to the record, and to the poll.
     */
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

    /**
     * Handles a record. If it throws, the reader stays at this record and passes it again.
     *
     * @param buffer holds the record; the buffer and its content are valid during the call only.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes.
     * @param header metadata of the record; valid during the call only.
     * @return how to continue; null counts as throwing a {@link NullPointerException}.
     */
    Action onRecord(DirectBuffer buffer, int offset, int length, RecordHandler.Header header);
}
