package io.journal;

import org.agrona.DirectBuffer;

/**
 * Is given records, one at a time, and says after each how to go on.
 */
@FunctionalInterface
public interface ControlledRecordHandler
{
    /**
     * What becomes of a record that was handed out, and of the polling.
     */
    enum Action
    {
        /** Stop. The record does not count as read: it is handed out again next time. */
        ABORT,
        /** Stop behind this record. */
        BREAK,
        /** Go on, and let {@link JournalReader#nextSequence()} tell other threads already that this record is read. */
        COMMIT,
        /** Go on. */
        CONTINUE
    }

    /**
     * Takes a record. If it throws, the reader stays at this record and gives it again.
     *
     * @param buffer holds the record; it, and what it holds, is valid during the call only.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes.
     * @param header tells more of the record; valid during the call only.
     * @return how to go on; null counts as throwing a {@link NullPointerException}.
     */
    Action onRecord(DirectBuffer buffer, int offset, int length, RecordHeader header);
}
