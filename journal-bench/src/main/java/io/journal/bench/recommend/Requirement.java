package io.journal.bench.recommend;

/**
 * The user's requirement.
 *
 * @param durability    what an acknowledged record must survive.
 * @param recordLength typical record length in bytes.
 * @param rate         peak records/s; {@link #UNKNOWN_RATE} if not specified.
 */
record Requirement(DurabilityRequirement durability, int recordLength, long rate)
{
    static final long UNKNOWN_RATE = 0;

    /** Headroom: a backend must sustain this multiple of the requested rate. */
    static final int ROOM = 2;

    boolean isRateStated()
    {
        return UNKNOWN_RATE != rate;
    }

    /**
     * Whether a rate meets the requested one with headroom.
     */
    boolean isMetBy(final double recordsPerSecond)
    {
        return ROOM * rate <= recordsPerSecond;
    }
}
