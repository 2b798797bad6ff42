package io.journal.replicated;

/** Limits that writers and members have in common. */
final class Limits
{
    static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;

    // Several short records share a message, up to this length.
    static final int MIN_MESSAGE_LENGTH = 16 * 1024 + Protocol.HEADER_LENGTH;

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

    static int maxMessageLength(final int maxRecordLength)
    {
        return Math.max(MIN_MESSAGE_LENGTH, Protocol.HEADER_LENGTH + Protocol.entryLength(maxRecordLength));
    }
}
