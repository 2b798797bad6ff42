// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import io.journal.JournalReader;
import org.agrona.collections.LongHashSet;

/**
 * Tracks which segments need their records verified when a reader enters them. Thread-safe.
 */
public final class VerifiedSegments
{
    private static final int INITIAL_CAPACITY = 64;

    private final JournalReader.Verification mode;
    // Ordinals of segments whose records were all verified, in a term.
    private final LongHashSet verified = new LongHashSet(INITIAL_CAPACITY);
    private long number;
    // Lowest ordinal that is kept.
    private long firstOrdinal;

    public VerifiedSegments(final JournalReader.Verification mode)
    {
        this.mode = mode;
    }

    boolean isNeeded(final long ordinal, final long number)
    {
        return switch (mode)
        {
            case ALWAYS -> true;
            case NEVER -> false;
            case ONCE -> !isVerified(ordinal, number);
        };
    }

    /**
     * Notes that a reader has passed each record of a complete segment in a term.
     *
     * @param firstOrdinal of the journal: segments below it were pruned.
     */
    void passed(final long ordinal, final long firstOrdinal, final long number)
    {
        if (JournalReader.Verification.ONCE == mode)
        {
            synchronized (verified)
            {
                if (number > this.number)
                {
                    this.number = number;
                    verified.clear();
                }
                if (firstOrdinal > this.firstOrdinal)
                {
                    this.firstOrdinal = firstOrdinal;
                    verified.removeIfLong((other) -> other < firstOrdinal);
                }
                if (number == this.number)
                {
                    verified.add(ordinal);
                }
            }
        }
    }

    private boolean isVerified(final long ordinal, final long number)
    {
        synchronized (verified)
        {
            return number == this.number && verified.contains(ordinal);
        }
    }
}
