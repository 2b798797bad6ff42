package io.journal.internal.manage;

/**
 * The place of one consumer, kept across restarts: beside the journal by its writer, or elsewhere by a follower.
 */
public interface KeptPosition
{
    String name();

    /** The last record that the consumer has processed, as saved. */
    long sequence();

    /** The truncation epoch in which it was saved. */
    long epoch();

    /**
     * Saves a sequence, durably.
     *
     * @param epoch in which the consumer has read the record.
     */
    void save(long sequence, long epoch);

    /** The truncation epoch now, for a caller that has read the record just before. */
    long currentEpoch();

    /** How many records the consumer is behind. */
    long lag();

    void delete();
}
