package io.journal.internal.read;

/**
 * The place of one consumer, kept across restarts: beside the journal by its writer, or elsewhere by a follower.
 */
public interface KeptPosition
{
    String name();

    /** The last record that the consumer has processed, as saved. */
    long sequence();

    /** What was saved: a sequence, and the term of its record. */
    record Saved(long sequence, long term)
    {
    }

    Saved saved();

    /** Saves a sequence, durably, once its record is. */
    void save(long sequence, long number);

    /**
     * Saves the sequence of a record that a reader for this position has read, in the term of the given number.
     *
     * @return false if nothing was saved, since the journal was truncated meanwhile; the record may be there
     *         nevertheless.
     */
    boolean commit(long sequence, long number);

    /** Number of the current term, for a caller that has read the record just before. */
    long currentNumber();

    /** How many records the consumer is behind. */
    long lag();

    void delete();
}
