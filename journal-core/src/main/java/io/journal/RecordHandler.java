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
     * @param buffer holds the record; the buffer and its content are valid during the call only.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes.
     * @param header metadata of the record; valid during the call only.
     */
    void onRecord(DirectBuffer buffer, int offset, int length, RecordHeader header);
}
