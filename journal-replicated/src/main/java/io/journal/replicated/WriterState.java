package io.journal.replicated;

/** State of a {@link ReplicatedJournal}. */
public enum WriterState
{
    /** A leader acknowledges what is appended. */
    CONNECTED,

    /** There is no leader, or it is not known yet what it has: appended records are kept, and sent again. */
    FAILING_OVER,

    /** Another writer has opened the journal. */
    FENCED,

    /** Records are left whose fate is not known: no leader answered within the deadline. */
    UNCERTAIN,

    /** Closed by its user. */
    CLOSED
}
