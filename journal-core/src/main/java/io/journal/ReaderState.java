package io.journal;

/**
 * How a {@link JournalReader} stands to its journal.
 */
public enum ReaderState
{
    /** It reads on, now or as soon as there is more. */
    FOLLOWING,
    /** The records it would read next were pruned. It hands out nothing until it is sent elsewhere by a seek. */
    PRUNED,
    /**
     * Records behind which it stands were cut by a truncation; it may have handed them out. It hands out nothing until
     * it is sent elsewhere by a seek.
     */
    TRUNCATED,
    /** The journal, or the reader itself, was closed, and there is nothing left to read. */
    CLOSED
}
