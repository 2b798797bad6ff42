package io.journal;

import org.agrona.DirectBuffer;

/**
 * Is given records, one at a time.
 */
@FunctionalInterface
public interface RecordHandler
{
    /**
     * Takes a record. If it throws, the reader stays at this record and gives it again.
     *
     * @param buffer holds the record; it, and what it holds, is valid during the call only.
     * @param offset of the record in the buffer.
     * @param length of the record in bytes.
     * @param header tells more of the record; valid during the call only.
     */
    void onRecord(DirectBuffer buffer, int offset, int length, RecordHeader header);
}
