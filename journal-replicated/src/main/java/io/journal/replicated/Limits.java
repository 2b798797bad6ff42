package io.journal.replicated;

/** Limits that writers and members have in common. */
final class Limits
{
    static final int MAX_RECORD_LENGTH = 4 * 1024 * 1024;

    // Several short records share a message, up to this length.
    static final int FULL_MESSAGE = 16 * 1024;

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
        return Protocol.HEADER_LENGTH + Math.max(FULL_MESSAGE, Protocol.entryLength(maxRecordLength));
    }
}
