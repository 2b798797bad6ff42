package io.journal.bench.recommend;

/**
 * What the journal is for, as its user says.
 *
 * @param durability    what an acknowledged record has to.
 * @param recordLength usual length of a record in bytes.
 * @param rate         records a second, at most; {@link #UNKNOWN_RATE} if it was not stated.
 */
record Requirement(DurabilityRequirement durability, int recordLength, long rate)
{
    static final long UNKNOWN_RATE = 0;

    /** What a backend has to sustain, in multiples of the stated rate, to meet it with room. */
    static final int ROOM = 2;

    boolean isRateStated()
    {
        return UNKNOWN_RATE != rate;
    }

    /**
     * Whether a rate meets the stated one with room.
     */
    boolean isMetBy(final double recordsPerSecond)
    {
        return ROOM * rate <= recordsPerSecond;
    }
}
