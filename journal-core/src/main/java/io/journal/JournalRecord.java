package io.journal;

import java.util.Arrays;

/**
 * A record copied out of a journal. A convenience: handlers receive records without a copy.
 *
 * @param sequence the record's address.
 * @param tag      the user's value stored with it.
 * @param bytes    the record; the array is not copied again.
 */
public record JournalRecord(long sequence, long tag, byte[] bytes)
{
    @Override
    public boolean equals(final Object other)
    {
        return other instanceof JournalRecord && sequence == ((JournalRecord)other).sequence &&
            tag == ((JournalRecord)other).tag && Arrays.equals(bytes, ((JournalRecord)other).bytes);
    }

    @Override
    public int hashCode()
    {
        return 31 * (31 * Long.hashCode(sequence) + Long.hashCode(tag)) + Arrays.hashCode(bytes);
    }

    @Override
    public String toString()
    {
        return "JournalRecord{sequence=" + sequence + ", tag=" + tag + ", length=" + bytes.length + '}';
    }
}
