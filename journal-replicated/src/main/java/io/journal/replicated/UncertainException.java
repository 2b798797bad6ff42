// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import io.journal.JournalException;

/**
 * The fate of records is unknown: no answer came within the deadline, or the journal was closed before. A prefix of
 * these records may be committed. To find out, connect again: {@link ReplicatedJournal#lastSequence()} right after that
 * is the last committed record, and later records will never be committed.
 */
public final class UncertainException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /** Sequence of the first record. */
    private final long firstSequence;
    /** Sequence of the last record. */
    private final long lastSequence;

    UncertainException(final String reason, final long firstSequence, final long lastSequence)
    {
        super(
            "not known whether committed: firstSequence=" + firstSequence + ", lastSequence=" + lastSequence +
                "; connect again to find out; cause=" + reason,
            null, null, UNKNOWN, firstSequence);
        this.firstSequence = firstSequence;
        this.lastSequence = lastSequence;
    }

    /** {@return the sequence of the first record whose fate is not known} */
    public long firstSequence()
    {
        return firstSequence;
    }

    /** {@return the sequence of the last record whose fate is not known} */
    public long lastSequence()
    {
        return lastSequence;
    }
}
