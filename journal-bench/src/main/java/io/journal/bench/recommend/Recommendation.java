// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.journal.JournalBuilder;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.BackendConfig;
import io.journal.bench.recommend.Measurements.Figure;

/**
 * The recommendation, as code, as a settings file, and as values of a result.
 *
 * @param reasons as of the verdict, and more.
 */
record Recommendation(
    Requirement requirement, Verdict verdict, int segmentLength, Force force, List<String> reasons)
{
    private static final int MAX_COMMENT = 200;

    /** Code that opens a journal with these settings. */
    String snippet()
    {
        final BackendConfig chosen = verdict.recommended();
        return "final Journal journal = Journal.builder(Path.of(\"journal\"))\n" +
            "    .backend(Backend." + chosen.backend() + ")\n" +
            (0 == chosen.writeWindow() ? "" : "    .writeWindow(" + chosen.writeWindow() / Unit.KIB + " * 1024)\n") +
            (JournalBuilder.DEFAULT_SEGMENT_LENGTH == segmentLength ? "" :
                "    .segmentLength(" + segmentLength / Unit.KIB + " * 1024)\n") +
            "    .force(" + force.code() + ")\n" +
            "    .open();\n";
    }

    /** The settings by name, as in {@link JournalBuilder#settings}. */
    Map<String, String> settings()
    {
        final Map<String, String> settings = new LinkedHashMap<>();
        settings.put("backend", verdict.recommended().backend().name());
        settings.put("writeWindow", Integer.toString(verdict.recommended().writeWindow()));
        settings.put("segmentLength", Integer.toString(segmentLength));
        settings.put("force", force.setting());
        return settings;
    }

    /** Settings, ties and reasons, for a result file. */
    Map<String, String> values()
    {
        final Map<String, String> values = settings();
        values.put("recommended", verdict.recommended().label());
        values.put("ties", Verdict.labels(verdict.ties()));
        values.put("untried", Verdict.labels(verdict.untried()));
        values.put("reasons", String.join("\n", reasons));
        values.put("table", String.join("\n", verdict.table()));
        return values;
    }

    Map<String, String> parameters()
    {
        // Sorted, so that equal runs write equal files.
        return new TreeMap<>(Map.of(
            "survive", requirement.durability().name().toLowerCase(Locale.ROOT),
            "recordLength", Integer.toString(requirement.recordLength()),
            "rate", requirement.isRateStated() ? Long.toString(requirement.rate()) : "unknown"));
    }

    /**
     * Text of a settings file.
     *
     * @param comments header lines: origin, date, machine.
     */
    String file(final List<String> comments)
    {
        final Stream<String> explained = Stream.of(comments, reasons, verdict.table()).flatMap(List::stream)
            // A line break in a file name would end the comment and inject a setting.
            .map((line) -> line.stripTrailing().replaceAll("\\p{Cntrl}", "?")).filter((line) -> !line.isEmpty())
            .map((line) -> "# " + line.substring(0, Math.min(MAX_COMMENT, line.length())));
        final Stream<String> settings = settings().entrySet().stream().map(Object::toString);
        return Stream.concat(explained, settings).collect(Collectors.joining("\n", "", "\n"));
    }

    /**
     * The force policy that sustains the requested rate with headroom.
     *
     * @param setting value in a settings file.
     * @param code    Java expression.
     */
    record Force(String setting, String code, List<String> reasons)
    {
        private static final long MIN_INTERVAL_US = 50;
        private static final double US_PER_S = 1e6;

        static Force of(final Requirement requirement, final Measurements measurements, final BackendConfig chosen)
        {
            if (Requirement.Durability.PROCESS == requirement.durability())
            {
                return new Force("manual", "ForcePolicy.manual()", List.of(
                    "Force manual: an appended record survives the end of the process without an fsync."));
            }

            final int length = requirement.recordLength();
            final long wanted = requirement.rate();
            final double single = measurements.recordsPerSecond(chosen, Figure.FORCED_1, length).low();
            if (!requirement.isRateStated() || requirement.isMetBy(single))
            {
                return new Force("everyRecord", "ForcePolicy.everyRecord()", List.of(requirement.isRateStated() ?
                    text("Force everyRecord: at least %,.0f records/s are sustained with an fsync per record, and " +
                        "%,d were requested.", single, wanted) :
                    text("Force everyRecord: good for up to %,.0f records/s from one thread, half of the %,.0f " +
                        "sustained with an fsync per record. For more, specify --rate.",
                        single / Requirement.ROOM, single)));
            }

            for (final Figure figure : List.of(Figure.FORCED_16, Figure.FORCED_256))
            {
                final double sustained = measurements.recordsPerSecond(chosen, figure, length).low();
                if (requirement.isMetBy(sustained))
                {
                    return every(
                        figure.groupSize(length), wanted,
                        "%,d records/s are too many for an fsync per record, but not per %d records: at least %,.0f " +
                            "are sustained.",
                        wanted, figure.groupSize(length), sustained);
                }
            }

            final int groupSize = Figure.FORCED_256.groupSize(length);
            return every(
                groupSize, wanted,
                "Warning: this disk may not keep up. %,d records/s were requested, more than half of the %s " +
                    "sustained with an fsync per %d.",
                wanted, measurements.recordsPerSecond(chosen, Figure.FORCED_256, length).text("%,.0f"), groupSize);
        }

        /** A policy that fsyncs once in the time in which a group of records arrives. */
        private static Force every(
            final int groupSize, final long rate, final String reason, final Object... values)
        {
            final long us = Math.max(MIN_INTERVAL_US, Math.round(groupSize * US_PER_S / rate));
            final boolean isWholeMs = 0 == us % TimeUnit.MILLISECONDS.toMicros(1);
            final String setting = "every " + (isWholeMs ? us / 1000 + " ms" : us + " us");
            return new Force(
                setting, "ForcePolicy.every(Duration." +
                    (isWholeMs ? "ofMillis(" + us / 1000 : "ofNanos(" + TimeUnit.MICROSECONDS.toNanos(us)) + "))",
                List.of(text(reason, values), "Force " + setting +
                    ": awaitForced and onForced acknowledge a record within about two of these intervals."));
        }

        private static String text(final String format, final Object... values)
        {
            return String.format(Locale.ROOT, format, values);
        }
    }
}
