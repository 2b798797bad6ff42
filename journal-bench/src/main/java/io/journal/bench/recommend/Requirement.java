package io.journal.bench.recommend;

import java.util.List;

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

    /**
     * Figures by which candidates are compared: without a rate that of the force policy that is recommended then, an
     * fsync per record.
     */
    List<Figure> deciding()
    {
        return isRateStated() || DurabilityRequirement.PROCESS == durability ? durability.figures() :
            List.of(Figure.FORCED_1);
    }

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
