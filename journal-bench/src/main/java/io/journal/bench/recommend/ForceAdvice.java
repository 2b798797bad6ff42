package io.journal.bench.recommend;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.journal.bench.journal.Case;

/**
 * Which force policy sustains the rate that is asked for with room, from what was measured.
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

    static ForceAdvice of(final Need need, final Measurements measurements, final Case chosen)
    {
        if (Survive.PROCESS == need.survive())
        {
            return new ForceAdvice(
                "manual", "ForcePolicy.manual()",
                "Force manual: what append has returned for survives the end of the process without an fsync.");
        }

        final Comparison single = measurements.recordsPerSecond(chosen, Figure.FORCED_1, need.recordLength());
        if (!need.isRateStated())
        {
            return everyRecord(String.format(
                Locale.ROOT, "Force everyRecord: good for up to %,.0f records/s from one thread, half of the %,.0f " +
                    "sustained one by one. For more, state the --rate.",
                single.low() / Need.ROOM, single.low()));
        }

        for (final Figure figure : Figure.FORCED)
        {
            final Comparison rate = measurements.recordsPerSecond(chosen, figure, need.recordLength());
            if (need.isMetBy(rate.low()))
            {
                return of(need, figure, rate);
            }
        }

        final Comparison most = measurements.recordsPerSecond(chosen, Figure.FORCED_256, need.recordLength());
        final long intervalUs = intervalUs(Plan.groupSize(Figure.FORCED_256, need.recordLength()), need.rate());
        return every(
            intervalUs, String.format(
                Locale.ROOT,
                "Warning: this disk may not keep up. %,d records/s were asked for, more than half of the %,.0f " +
                    "[%,.0f..%,.0f] sustained %d at a time.",
                need.rate(), most.median(), most.low(), most.high(),
                Plan.groupSize(Figure.FORCED_256, need.recordLength())));
    }

    /**
     * As a file of settings has it.
     */
    String setting()
    {
        return setting;
    }

    /**
     * As Java has it.
     */
    String code()
    {
        return code;
    }

    List<String> reasons()
    {
        return reasons;
    }

    private static ForceAdvice of(final Need need, final Figure figure, final Comparison rate)
    {
        if (Figure.FORCED_1 == figure)
        {
            return everyRecord(String.format(
                Locale.ROOT,
                "Force everyRecord: at least %,.0f records/s are sustained one by one, and %,d are asked " +
                    "for.",
                rate.low(), need.rate()));
        }

        final int groupSize = Plan.groupSize(figure, need.recordLength());
        return every(
            intervalUs(groupSize, need.rate()), String.format(
                Locale.ROOT,
                "%,d records/s are too many to fsync one by one, but not %d at a time: at least %,.0f are " +
                    "sustained.",
                need.rate(), groupSize, rate.low()));
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
     * Time in which so many records come.
     */
    private static long intervalUs(final int records, final long rate)
    {
        return Math.max(MIN_INTERVAL_US, Math.round(records * US_PER_S / rate));
    }
}
