package io.journal.replicated;

import org.agrona.BitUtil;

/** Limits that writers and members have in common. */
final class Limits
{
    static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;

    // Several short records share a message, up to this length.
    static final int FULL_MESSAGE = 16 * 1024;

    // The longest record is that of MemberOptions.MAX_CAPACITY.
    private static final int UNIT = 64;

    private Limits()
    {
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

    /** Rounded up, so that a member can tell others of it in two bytes. */
    static int roundUp(final int maxRecordLength)
    {
        return BitUtil.align(maxRecordLength, UNIT);
    }

    static int capacity(final int maxRecordLength)
    {
        return maxRecordLength / UNIT - 1;
    }

    static int maxRecordLength(final int capacity)
    {
        return (capacity + 1) * UNIT;
    }

    static int maxMessageLength(final int maxRecordLength)
    {
        return Protocol.HEADER_LENGTH + Math.max(FULL_MESSAGE, Protocol.entryLength(maxRecordLength));
    }

    /** {@return the length of the longest record that a member can be started with, rounded down as it must be} */
    static int maxRecordLengthIn(final int maxMessageLength)
    {
        return (maxMessageLength - Protocol.HEADER_LENGTH - Protocol.ENTRY_HEADER_LENGTH) / UNIT * UNIT;
    }
}
