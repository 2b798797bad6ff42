package io.journal.replicated;

/**
 * How many messages with records are sent and not acknowledged. A record is sent at once unless there are many: one
 * that waits for the acknowledgement of another takes twice the time. Beyond that records share messages, each of which
 * costs much more than its bytes.
 */
final class MessagesInFlight
{
    static final int LIMIT = 64;
    private static final int FULL_LENGTH = Limits.FULL_MESSAGE;

    // The last sequence of each, from the oldest on.
    private final long[] ends = new long[LIMIT];
    private int oldest;
    private int count;

    boolean isFull()
    {
        return LIMIT == count;
    }

    boolean isDue(final long unsentBytes)
    {
        return unsentBytes > 0 && (count < LIMIT || unsentBytes >= FULL_LENGTH);
    }

    void sent(final long lastSequence)
    {
        // One beyond the limit, because it is long, counts as part of the newest.
        count = Math.min(count + 1, LIMIT);
        ends[(oldest + count - 1) & (LIMIT - 1)] = lastSequence;
    }

    void acknowledged(final long sequence)
    {
        while (count > 0 && ends[oldest] <= sequence)
        {
            oldest = (oldest + 1) & (LIMIT - 1);
            count--;
        }
    }

    void clear()
    {
        count = 0;
    }
}
