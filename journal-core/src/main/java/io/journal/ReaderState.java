package io.journal;

/**
 * The state of a {@link JournalReader}.
 */
public enum ReaderState
{
    /** It can continue to read, now or as soon as there are more records. */
    FOLLOWING,
    /** The records it would read next were pruned. It passes no records until a seek repositions it. */
    PRUNED,
    /**
     * Records before its position were truncated, or may have been, as there were two truncations since it last read.
     * It may have passed them already. It passes no records until a seek repositions it.
     */
    TRUNCATED,
    /** The journal, or the reader itself, was closed, and there is nothing left to read. */
    CLOSED
}
