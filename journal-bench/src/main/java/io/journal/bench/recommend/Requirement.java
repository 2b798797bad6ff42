// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.util.List;

import io.journal.bench.subject.BackendConfig;
import io.journal.store.Backend;
import io.journal.bench.recommend.Measurements.Figure;

/**
 * The user's requirement.
 *
 * @param durability   what an acknowledged record must survive.
 * @param recordLength typical record length in bytes.
 * @param rate         peak records/s; {@link #UNKNOWN_RATE} if not specified.
 */
record Requirement(Durability durability, int recordLength, long rate)
{
    static final long UNKNOWN_RATE = 0;

    /** Headroom: a backend must sustain this multiple of the requested rate. */
    static final int ROOM = 2;

    /**
     * Figures by which candidates are compared. Without a rate, these are the figures of the force policy that is then
     * recommended, an fsync per record.
     */
    List<Figure> deciding()
    {
        return isRateStated() || Durability.PROCESS == durability ? durability.figures : List.of(Figure.FORCED_1);
    }

    /** Configurations that meet the requirement and do not kill the process on a full disk. */
    List<BackendConfig> candidates(final List<BackendConfig> all, final boolean isAllocating)
    {
        return all.stream().filter(durability::admits)
            .filter((each) -> !isAllocating || Backend.MAPPED != each.backend()).toList();
    }

    boolean isRateStated()
    {
        return UNKNOWN_RATE != rate;
    }

    /** Whether a rate meets the requested rate with headroom. */
    boolean isMetBy(final double recordsPerSecond)
    {
        return ROOM * rate <= recordsPerSecond;
    }

    /** What an acknowledged record must survive. Determines the figures that decide. */
    enum Durability
    {
        /**
         * The end of the process: a record is acknowledged once it is in the page cache, so every append must write.
         */
        PROCESS("the end of the process", "appends", List.of(Figure.APPEND)),

        /** A loss of power: a record is acknowledged once it is durable; until then it may wait in a write window. */
        POWER("a loss of power", "appends with an fsync for each", Figure.FORCED);

        final String what;
        final String figuresName;
        /** Rates of acknowledged records; any of them may meet the requested rate. */
        final List<Figure> figures;

        Durability(final String what, final String figuresName, final List<Figure> figures)
        {
            this.what = what;
            this.figuresName = figuresName;
            this.figures = figures;
        }

        /** Whether a configuration gives that guarantee. */
        boolean admits(final BackendConfig candidate)
        {
            return POWER == this || 0 == candidate.writeWindow();
        }
    }
}
