package io.journal.replicated;

import java.util.UUID;

import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import static java.nio.ByteOrder.LITTLE_ENDIAN;

/**
 * Layout of the messages between writers and members: a header, then what the type adds. All numbers are little endian.
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

    /** A writer opens: its id in two longs behind the header, a correlation id as sequence. The reply is OPENED. */
    static final byte OPEN = 1;
    /** A writer continues, not knowing what is committed: as OPEN. The reply is OPENED, or FENCED. */
    static final byte RESUME = 2;
    /** Records: their count, the sequence of the first, one entry for each behind the header. */
    static final byte APPEND = 3;
    /** Drops history below the sequence; a correlation id behind the header. The reply is PRUNED. */
    static final byte PRUNE = 4;
    /** A member's snapshot is complete: its id as count, its last sequence; the log position behind the header. */
    static final byte CONFIRM = 5;

    /** The last sequence committed; the length of the longest record as count; the correlation id behind the header. */
    static final byte OPENED = 65;
    /** The last sequence committed. */
    static final byte ACKNOWLEDGED = 66;
    /** The newer epoch; in reply to RESUME, the correlation id behind the header. */
    static final byte FENCED = 67;
    /** The last sequence committed, which the one refused does not follow. */
    static final byte GAP = 68;
    /** The sequence before which history is dropped; the correlation id behind the header. */
    static final byte PRUNED = 69;
    /** The snapshot of the member whose id is the count is known; its log position behind the header. */
    static final byte CONFIRMED = 71;
    /** The member's version is another one, or the message is malformed. */
    static final byte UNSUPPORTED = 70;

    static final int HEADER_LENGTH = 24;
    static final int EXTENSION_OFFSET = HEADER_LENGTH;
    static final int EXTENDED_LENGTH = HEADER_LENGTH + Long.BYTES;
    static final int OPEN_LENGTH = HEADER_LENGTH + 2 * Long.BYTES;

    /** An entry: length of the record, 4 zero bytes, its tag, its bytes, zeros up to a multiple of 8. */
    static final int ENTRY_HEADER_LENGTH = 16;
    static final int ENTRY_TAG_OFFSET = 8;

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

    /** {@return the length in bytes that a request has at least} */
    static int minLength(final byte type)
    {
        return switch (type)
        {
            case OPEN, RESUME -> OPEN_LENGTH;
            case PRUNE, CONFIRM -> EXTENDED_LENGTH;
            default -> HEADER_LENGTH;
        };
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

    /** Of OPEN and RESUME. */
    static void writerId(final MutableDirectBuffer message, final UUID id)
    {
        message.putLong(EXTENSION_OFFSET, id.getMostSignificantBits(), LITTLE_ENDIAN);
        message.putLong(EXTENSION_OFFSET + Long.BYTES, id.getLeastSignificantBits(), LITTLE_ENDIAN);
    }

    static long writerIdHigh(final DirectBuffer message, final int offset)
    {
        return message.getLong(offset + EXTENSION_OFFSET, LITTLE_ENDIAN);
    }

    static long writerIdLow(final DirectBuffer message, final int offset)
    {
        return message.getLong(offset + EXTENSION_OFFSET + Long.BYTES, LITTLE_ENDIAN);
    }

    static int entryLength(final int recordLength)
    {
        return BitUtil.align(ENTRY_HEADER_LENGTH + recordLength, ALIGNMENT);
    }
}
