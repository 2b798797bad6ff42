// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import io.journal.JournalException;

/**
 * Another writer has opened the journal. Records that this writer has appended and that are not acknowledged yet will
 * never be acknowledged. Records in flight may have been committed before the other writer opened.
 */
public final class FencedException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /** Epoch of the writer that is fenced. */
    private final long epoch;
    /** Epoch of the other writer. */
    private final long newEpoch;

    FencedException(final long epoch, final long newEpoch, final long acknowledged, final long lastSequence)
    {
        super(
            "another writer has opened the journal: epoch=" + epoch + ", newEpoch=" + newEpoch + ", acknowledged=" +
                acknowledged + ", lastSequence=" + lastSequence,
            null, null, UNKNOWN, acknowledged == lastSequence ? UNKNOWN : acknowledged + 1);
        this.epoch = epoch;
        this.newEpoch = newEpoch;
    }

    /** {@return the epoch of the writer that is fenced} */
    public long epoch()
    {
        return epoch;
    }

    /** {@return the epoch of the other writer, or of a later writer} */
    public long newEpoch()
    {
        return newEpoch;
    }
}
