package io.journal.bench.recommend;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Spread;

/**
 * Which policy of forcing carries the rate that is wanted, from what was measured.
 */
final class ForceAdvice
{
    /** Only so much of what the slowest round had is relied on. */
    private static final int RESERVE = 2;
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
                "force manual: what append has returned for outlives the process without any");
        }

        for (final Figure figure : Figure.FORCED)
        {
            final Spread rate = Spread.of(measurements.of(chosen, figure));
            if (RESERVE * need.rate() <= rate.min())
            {
                return of(need, figure, rate);
            }
        }

        final Spread most = Spread.of(measurements.of(chosen, Figure.FORCED_256));
        final long intervalUs = intervalUs(Plan.groupSize(Figure.FORCED_256, need.recordLength()), need.rate());
        return every(
            intervalUs, String.format(
                Locale.ROOT,
                "warning: %,d records a second are more than half of what the slowest round had forced, %,.0f " +
                    "[%,.0f..%,.0f]: this disk may not keep up",
                need.rate(), most.median(), most.min(), most.max()));
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

    private static ForceAdvice of(final Need need, final Figure figure, final Spread rate)
    {
        final String measured = String.format(
            Locale.ROOT, "%,.0f records a second [%,.0f..%,.0f]", rate.median(), rate.min(), rate.max());
        if (Figure.FORCED_1 == figure)
        {
            return new ForceAdvice(
                "everyRecord", "ForcePolicy.everyRecord()", String.format(
                    Locale.ROOT, "force everyRecord: %s forced one by one, and %,d are wanted", measured, need.rate()));
        }

        final int groupSize = Plan.groupSize(figure, need.recordLength());
        return every(
            intervalUs(groupSize, need.rate()), String.format(
                Locale.ROOT, "%,d records a second are too many to be forced one by one, but not %d together: %s",
                need.rate(), groupSize, measured));
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
            "force every " + interval +
                ": awaitForced and onForced tell of a record within about two of these intervals");
    }

    /**
     * Time in which so many records come.
     */
    private static long intervalUs(final int records, final long rate)
    {
        return Math.max(MIN_INTERVAL_US, Math.round(records * US_PER_S / rate));
    }
}
