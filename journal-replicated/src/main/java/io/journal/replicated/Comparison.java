package io.journal.replicated;

import io.journal.Journal;
import org.agrona.DirectBuffer;

/** Whether a record that is replayed is the one in the journal. For one thread. */
final class Comparison
{
    private final Journal journal;
    private boolean isEqual;

    Comparison(final Journal journal)
    {
        this.journal = journal;
    }

    boolean isEqual(final long sequence, final long tag, final DirectBuffer bytes, final int offset, final int length)
    {
        isEqual = false;
        journal.get(
            sequence,
            (record, recordOffset, recordLength, header) -> isEqual =
                header.tag() == tag && recordLength == length && equal(bytes, offset, record, recordOffset, length));
        return isEqual;
    }

    private static boolean equal(
        final DirectBuffer one, final int offset, final DirectBuffer other, final int otherOffset, final int length)
    {
        for (int i = 0; i < length; i++)
        {
            if (one.getByte(offset + i) != other.getByte(otherOffset + i))
            {
                return false;
            }
        }

        return true;
    }
}
