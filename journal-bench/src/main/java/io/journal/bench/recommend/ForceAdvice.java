package io.journal.bench.recommend;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.journal.bench.journal.BackendConfig;

/**
 * The force policy that sustains the requested rate with headroom.
 */
final class ForceAdvice
{
    private static final long MIN_INTERVAL_US = 50;
    private static final long US_PER_MS = TimeUnit.MILLISECONDS.toMicros(1);
    private static final double US_PER_S = TimeUnit.SECONDS.toMicros(1);

    private final String setting;
    private final String code;
    private final List<String> reasons;

    private ForceAdvice(final String setting, final String code, final String... reasons)
    {
        this.setting = setting;
        this.code = code;
        this.reasons = List.of(reasons);
    }

    static ForceAdvice of(final Requirement requirement, final Measurements measurements, final BackendConfig chosen)
    {
        if (Requirement.Durability.PROCESS == requirement.durability())
        {
            return new ForceAdvice(
                "manual", "ForcePolicy.manual()",
                "Force manual: an appended record survives the end of the process without an fsync.");
        }

        final Comparison single = measurements.recordsPerSecond(chosen, Figure.FORCED_1, requirement.recordLength());
        if (!requirement.isRateStated())
        {
            return everyRecord(String.format(
                Locale.ROOT, "Force everyRecord: good for up to %,.0f records/s from one thread, half of the %,.0f " +
                    "sustained with an fsync per record. For more, specify --rate.",
                single.low() / Requirement.ROOM, single.low()));
        }

        for (final Figure figure : Figure.FORCED)
        {
            final Comparison rate = measurements.recordsPerSecond(chosen, figure, requirement.recordLength());
            if (requirement.isMetBy(rate.low()))
            {
                return of(requirement, figure, rate);
            }
        }

        final Comparison most = measurements.recordsPerSecond(chosen, Figure.FORCED_256, requirement.recordLength());
        final long intervalUs =
            intervalUs(Trial.Plan.groupSize(Figure.FORCED_256, requirement.recordLength()), requirement.rate());
        return every(
            intervalUs, String.format(
                Locale.ROOT,
                "Warning: this disk may not keep up. %,d records/s were requested, more than half of the %,.0f " +
                    "[%,.0f..%,.0f] sustained with an fsync per %d.",
                requirement.rate(), most.median(), most.low(), most.high(),
                Trial.Plan.groupSize(Figure.FORCED_256, requirement.recordLength())));
    }

    /**
     * Value in a settings file.
     */
    String setting()
    {
        return setting;
    }

    /**
     * Java expression.
     */
    String code()
    {
        return code;
    }

    List<String> reasons()
    {
        return reasons;
    }

    private static ForceAdvice of(final Requirement requirement, final Figure figure, final Comparison rate)
    {
        if (Figure.FORCED_1 == figure)
        {
            return everyRecord(String.format(
                Locale.ROOT,
                "Force everyRecord: at least %,.0f records/s are sustained with an fsync per record, and %,d were " +
                    "requested.",
                rate.low(), requirement.rate()));
        }

        final int groupSize = Trial.Plan.groupSize(figure, requirement.recordLength());
        return every(
            intervalUs(groupSize, requirement.rate()), String.format(
                Locale.ROOT,
                "%,d records/s are too many for an fsync per record, but not per %d records: at least %,.0f are " +
                    "sustained.",
                requirement.rate(), groupSize, rate.low()));
    }

    private static ForceAdvice everyRecord(final String reason)
    {
        return new ForceAdvice("everyRecord", "ForcePolicy.everyRecord()", reason);
    }

    private static ForceAdvice every(final long intervalUs, final String reason)
    {
        final boolean isWholeMs = 0 == intervalUs % US_PER_MS;
        final String interval = isWholeMs ? intervalUs / US_PER_MS + " ms" : intervalUs + " us";
        final String duration = isWholeMs ? "ofMillis(" + intervalUs / US_PER_MS :
            "ofNanos(" + TimeUnit.MICROSECONDS.toNanos(intervalUs);
        return new ForceAdvice(
            "every " + interval,
            "ForcePolicy.every(Duration." + duration + "))",
            reason,
            "Force every " + interval +
                ": awaitForced and onForced acknowledge a record within about two of these intervals.");
    }

    /**
     * Time in which a number of records arrive.
     */
    private static long intervalUs(final int records, final long rate)
    {
        return Math.max(MIN_INTERVAL_US, Math.round(records * US_PER_S / rate));
    }
}
