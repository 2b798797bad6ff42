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
    void onRecord(DirectBuffer buffer, int offset, int length, Header header);

    /**
     * Metadata of a record. Valid during the call that it was passed to.
     */
    final class Header
    {
        private long sequence;
        private long tag;
        private long position;

        Header()
        {
        }

        /**
         * The record's address.
         *
         * @return its number, from 1, without gaps.
         */
        public long sequence()
        {
            return sequence;
        }

        /**
         * The user's value stored with the record.
         *
         * @return the tag.
         */
        public long tag()
        {
            return tag;
        }

        /**
         * Where the record's frame begins, for diagnostics.
         *
         * @return position in bytes.
         */
        public long position()
        {
            return position;
        }

        void set(final long sequence, final long tag, final long position)
        {
            this.sequence = sequence;
            this.tag = tag;
            this.position = position;
        }
    }
}
