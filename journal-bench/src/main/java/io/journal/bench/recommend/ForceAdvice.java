package io.journal.bench.recommend;

import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.journal.bench.journal.BackendConfig;
import io.journal.bench.recommend.Measurements.Comparison;
import io.journal.bench.recommend.Measurements.Figure;

/**
 * The force policy that sustains the requested rate with headroom.
 *
 * @param setting value in a settings file.
 * @param code    Java expression.
 */
record ForceAdvice(String setting, String code, List<String> reasons)
{
    private static final long MIN_INTERVAL_US = 50;
    private static final long US_PER_MS = TimeUnit.MILLISECONDS.toMicros(1);
    private static final double US_PER_S = TimeUnit.SECONDS.toMicros(1);

    static ForceAdvice of(final Requirement requirement, final Measurements measurements, final BackendConfig chosen)
    {
        if (Requirement.Durability.PROCESS == requirement.durability())
        {
            return new ForceAdvice("manual", "ForcePolicy.manual()", List.of(
                "Force manual: an appended record survives the end of the process without an fsync."));
        }

        final int recordLength = requirement.recordLength();
        final long wanted = requirement.rate();
        if (!requirement.isRateStated())
        {
            final double single = measurements.recordsPerSecond(chosen, Figure.FORCED_1, recordLength).low();
            return everyRecord(
                "Force everyRecord: good for up to %,.0f records/s from one thread, half of the %,.0f sustained with " +
                    "an fsync per record. For more, specify --rate.",
                single / Requirement.ROOM, single);
        }

        for (final Figure figure : Figure.FORCED)
        {
            final double sustained = measurements.recordsPerSecond(chosen, figure, recordLength).low();
            final int groupSize = figure.groupSize(recordLength);
            if (requirement.isMetBy(sustained))
            {
                return Figure.FORCED_1 == figure ?
                    everyRecord(
                        "Force everyRecord: at least %,.0f records/s are sustained with an fsync per record, and %,d " +
                            "were requested.",
                        sustained, wanted) :
                    every(
                        groupSize, wanted,
                        "%,d records/s are too many for an fsync per record, but not per %d records: at least %,.0f " +
                            "are sustained.",
                        wanted, groupSize, sustained);
            }
        }

        final Comparison most = measurements.recordsPerSecond(chosen, Figure.FORCED_256, recordLength);
        final int groupSize = Figure.FORCED_256.groupSize(recordLength);
        return every(
            groupSize, wanted,
            "Warning: this disk may not keep up. %,d records/s were requested, more than half of the %s sustained " +
                "with an fsync per %d.",
            wanted, most.text("%,.0f"), groupSize);
    }

    private static ForceAdvice everyRecord(final String reason, final Object... values)
    {
        return new ForceAdvice(
            "everyRecord", "ForcePolicy.everyRecord()", List.of(String.format(Locale.ROOT, reason, values)));
    }

    /** Forces in the time in which a group of records arrives. */
    private static ForceAdvice every(
        final int groupSize, final long rate, final String reason, final Object... values)
    {
        final long intervalUs = Math.max(MIN_INTERVAL_US, Math.round(groupSize * US_PER_S / rate));
        final boolean isWholeMs = 0 == intervalUs % US_PER_MS;
        final String setting = "every " + (isWholeMs ? intervalUs / US_PER_MS + " ms" : intervalUs + " us");
        final String duration = isWholeMs ? "ofMillis(" + intervalUs / US_PER_MS :
            "ofNanos(" + TimeUnit.MICROSECONDS.toNanos(intervalUs);
        return new ForceAdvice(
            setting, "ForcePolicy.every(Duration." + duration + "))",
            List.of(
                String.format(Locale.ROOT, reason, values),
                "Force " + setting +
                    ": awaitForced and onForced acknowledge a record within about two of these intervals."));
    }
}
