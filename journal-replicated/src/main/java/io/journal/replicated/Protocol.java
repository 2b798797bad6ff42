// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Layout of the messages between writers and members: a header, then fields of the type; and their limits. All numbers
 * are little endian.
 *
 * <pre>
 *  0  type, 1 byte
 *  1  version, 1 byte
 *  2  0, 2 bytes
 *  4  count, 4 bytes
 *  8  epoch, 8 bytes
 * 16  sequence, 8 bytes
 * </pre>
 */
final class Protocol
{
    static final byte VERSION = 1;

    /** A writer opens: a correlation id as sequence, its own id after the header. The reply is OPENED. */
    static final byte OPEN = 1;
    /** A writer continues, not knowing what is committed: like OPEN. The reply is OPENED, or FENCED. */
    static final byte RESUME = 2;
    /** Records: their count, the sequence of the first, and one entry for each record after the header. */
    static final byte APPEND = 3;
    /** Drops history below the sequence; a correlation id after the header. The reply is PRUNED. */
    static final byte PRUNE = 4;
    /** A member's snapshot is complete: its id as count, its last sequence; the log position after the header. */
    static final byte CONFIRM = 5;

    /** The last sequence committed; the length of the longest record as count; the correlation id after the header. */
    static final byte OPENED = 65;
    /** The last sequence committed. */
    static final byte ACKNOWLEDGED = 66;
    /** The newer epoch; in reply to RESUME, the correlation id after the header. */
    static final byte FENCED = 67;
    /** The last sequence committed: the refused records do not follow it. */
    static final byte GAP = 68;
    /** The sequence before which history is dropped; the correlation id after the header. */
    static final byte PRUNED = 69;
    /** The snapshot of the member whose id is the count is known; its log position after the header. */
    static final byte CONFIRMED = 71;
    /** The member has another version, or the message is malformed. */
    static final byte UNSUPPORTED = 70;

    static final int HEADER_LENGTH = 24;
    static final int EXTENSION_OFFSET = HEADER_LENGTH;
    static final int EXTENDED_LENGTH = HEADER_LENGTH + Long.BYTES;

    /** An entry: length of the record, 4 zero bytes, its tag, its bytes, zeros up to a multiple of 8. */
    static final int ENTRY_HEADER_LENGTH = 16;
    static final int ENTRY_TAG_OFFSET = 8;

    static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;

    // Several short records share a message, up to this length.
    static final int FULL_MESSAGE = 16 * 1024;

    // The longest record is 65,536 units.
    private static final int RECORD_LENGTH_UNIT = 64;

    private static final int VERSION_OFFSET = 1;
    private static final int RESERVED_OFFSET = 2;
    private static final int COUNT_OFFSET = 4;
    private static final int EPOCH_OFFSET = 8;
    private static final int SEQUENCE_OFFSET = 16;
    private static final int ALIGNMENT = 8;

    private Protocol()
    {
    }

    static void header(
        final MutableDirectBuffer message, final byte type, final int count, final long epoch, final long sequence)
    {
        message.putByte(0, type);
        message.putByte(VERSION_OFFSET, VERSION);
        message.putShort(RESERVED_OFFSET, (short)0, LITTLE_ENDIAN);
        message.putInt(COUNT_OFFSET, count, LITTLE_ENDIAN);
        message.putLong(EPOCH_OFFSET, epoch, LITTLE_ENDIAN);
        message.putLong(SEQUENCE_OFFSET, sequence, LITTLE_ENDIAN);
    }

    static void extended(
        final MutableDirectBuffer message,
        final byte type,
        final int count,
        final long epoch,
        final long sequence,
        final long extension)
    {
        header(message, type, count, epoch, sequence);
        message.putLong(EXTENSION_OFFSET, extension, LITTLE_ENDIAN);
    }

    /** {@return the length in bytes that a request has at least} */
    static int minLength(final byte type)
    {
        return APPEND == type ? HEADER_LENGTH : EXTENDED_LENGTH;
    }

    static byte type(final DirectBuffer message, final int offset)
    {
        return message.getByte(offset);
    }

    static byte version(final DirectBuffer message, final int offset)
    {
        return message.getByte(offset + VERSION_OFFSET);
    }

    static int count(final DirectBuffer message, final int offset)
    {
        return message.getInt(offset + COUNT_OFFSET, LITTLE_ENDIAN);
    }

    static long epoch(final DirectBuffer message, final int offset)
    {
        return message.getLong(offset + EPOCH_OFFSET, LITTLE_ENDIAN);
    }

    static long sequence(final DirectBuffer message, final int offset)
    {
        return message.getLong(offset + SEQUENCE_OFFSET, LITTLE_ENDIAN);
    }

    static long extension(final DirectBuffer message, final int offset)
    {
        return message.getLong(offset + EXTENSION_OFFSET, LITTLE_ENDIAN);
    }

    static int entryLength(final int recordLength)
    {
        return BitUtil.align(ENTRY_HEADER_LENGTH + recordLength, ALIGNMENT);
    }

    static int checkRecordLength(final int length)
    {
        if (length < 1 || length > MAX_RECORD_LENGTH)
        {
            throw new IllegalArgumentException(
                "maxRecordLength out of range: maxRecordLength=" + length + ", limit=" + MAX_RECORD_LENGTH);
        }

        return length;
    }

    /** Rounds up, so that two bytes can express the length. */
    static int roundUp(final int maxRecordLength)
    {
        return BitUtil.align(maxRecordLength, RECORD_LENGTH_UNIT);
    }

    /** {@return the length of the longest record, in two bytes} */
    static int capacity(final int maxRecordLength)
    {
        return maxRecordLength / RECORD_LENGTH_UNIT - 1;
    }

    static int maxRecordLength(final int capacity)
    {
        return (capacity + 1) * RECORD_LENGTH_UNIT;
    }

    static int maxMessageLength(final int maxRecordLength)
    {
        return HEADER_LENGTH + Math.max(FULL_MESSAGE, entryLength(maxRecordLength));
    }

    /** {@return the length of the longest record that a member can be started with, rounded down} */
    static int maxRecordLengthIn(final int maxMessageLength)
    {
        return (maxMessageLength - HEADER_LENGTH - ENTRY_HEADER_LENGTH) / RECORD_LENGTH_UNIT * RECORD_LENGTH_UNIT;
    }
}
