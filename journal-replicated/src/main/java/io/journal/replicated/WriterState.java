// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

/** State of a {@link ReplicatedJournal}. */
public enum WriterState
{
    /** A leader acknowledges records. */
    CONNECTED,

    /** No leader, or its position is still unknown. Appended records are buffered and resent. */
    FAILING_OVER,

    /** Another writer has opened the journal. */
    FENCED,

    /** Records are left whose fate is not known: no leader answered within the deadline. */
    UNCERTAIN,

    /** Closed by its user. */
    CLOSED
}
