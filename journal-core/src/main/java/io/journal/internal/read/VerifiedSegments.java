// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.journal.JournalReader;

/**
 * Tracks which segments need their records verified when a reader enters them. Thread-safe.
 */
public final class VerifiedSegments
{
    private final JournalReader.Verification mode;
    // Ordinals of segments whose records were all verified, and the term in which that was.
    private final Map<Long, Long> verified = new ConcurrentHashMap<>();

    public VerifiedSegments(final JournalReader.Verification mode)
    {
        this.mode = mode;
    }

    boolean isNeeded(final long ordinal, final long term)
    {
        return switch (mode)
        {
            case ALWAYS -> true;
            case NEVER -> false;
            case ONCE -> !Long.valueOf(term).equals(verified.get(ordinal));
        };
    }

    /**
     * Notes that a reader has passed each record of a complete segment in a term.
     *
     * @param firstOrdinal of the journal: segments below it were pruned.
     */
    void passed(final long ordinal, final long firstOrdinal, final long term)
    {
        if (JournalReader.Verification.ONCE == mode)
        {
            verified.put(ordinal, term);
            verified.keySet().removeIf((other) -> other < firstOrdinal);
        }
    }
}
