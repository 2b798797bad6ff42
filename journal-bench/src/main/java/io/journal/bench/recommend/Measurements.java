// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.run.Interval;
import io.journal.bench.run.RawFile;

/**
 * Measured figures of configurations, round by round.
 */
final class Measurements
{
    private final List<Map<BackendConfig, Map<Figure, Double>>> rounds = new ArrayList<>();

    /** Figures of the rounds in which each case was measured. */
    static Measurements of(final List<BackendConfig> cases, final List<RawFile.Line> lines)
    {
        final Measurements measurements = new Measurements();
        lines.stream()
            .collect(Collectors.groupingBy(RawFile.Line::round, TreeMap::new, Collectors.toMap(
                RawFile.Line::label, RawFile.Line::values)))
            .values().stream().filter((round) -> round.size() == cases.size())
            .forEach((round) -> measurements.add(cases.stream().collect(Collectors.toMap(
                Function.identity(), (each) -> Stream.of(Figure.values()).collect(Collectors.toMap(
                    Function.identity(),
                    (figure) -> Double.parseDouble(round.get(each.label()).getOrDefault(figure.key, "NaN"))))))));
        return measurements;
    }

    /**
     * Adds a round.
     *
     * @throws IllegalArgumentException if a figure is missing or invalid.
     */
    void add(final Map<BackendConfig, Map<Figure, Double>> round)
    {
        round.forEach((measured, figures) ->
        {
            for (final Figure figure : Figure.values())
            {
                final double value = figures.getOrDefault(figure, Double.NaN);
                if (!(value > 0) || Double.isInfinite(value))
                {
                    throw new IllegalArgumentException(
                        "not measured: case=" + measured + ", figure=" + figure + ", value=" + value);
                }
            }
        });
        rounds.add(round);
    }

    void addAll(final Measurements others)
    {
        rounds.addAll(others.rounds);
    }

    int roundCount()
    {
        return rounds.size();
    }

    /** Records/s of a configuration, for the rounds in which it was measured. */
    Interval recordsPerSecond(final BackendConfig measured, final Figure figure, final int recordLength)
    {
        final int unit = Figure.FORCED.contains(figure) ? 1 : recordLength;
        return Interval.strict(rounds.stream().filter((round) -> round.containsKey(measured))
            .mapToDouble((round) -> round.get(measured).get(figure) / unit).toArray());
    }

    Interval compare(final BackendConfig measured, final BackendConfig baseline, final List<Figure> figures)
    {
        return Interval.strict(ratios(measured, baseline, figures));
    }

    /** Ratios of two configurations by round; several figures are combined by their geometric mean. */
    double[] ratios(final BackendConfig measured, final BackendConfig baseline, final List<Figure> figures)
    {
        return rounds.stream().filter((round) -> round.containsKey(measured) && round.containsKey(baseline))
            .mapToDouble((round) -> Math.exp(figures.stream().mapToDouble(
                (figure) -> Math.log(round.get(measured).get(figure) / round.get(baseline).get(figure))).average()
                .orElseThrow()))
            .toArray();
    }

    enum Figure
    {
        FORCED_1("forced1PerSecond", "append and fsync each record", 1),
        FORCED_16("forced16PerSecond", "append %d records, then fsync", 16),
        FORCED_256("forced256PerSecond", "append %d records, then fsync", 256),
        FORCE_P99("p99Us", "append and fsync each record: 99th percentile in us", 0),
        APPEND("writeBytesPerSecond", "append, no fsync; segment preparation included", 0),
        BURST("burstBytesPerSecond", "append, no fsync; the median MiB", 0),
        REPLAY("readBytesPerSecond", "replay from the page cache, checksums verified", 0);

        /** Records/s with an fsync, by group size. */
        static final List<Figure> FORCED = List.of(FORCED_1, FORCED_16, FORCED_256);

        private static final int MAX_GROUP_LENGTH = 4 * 1024 * 1024;

        final String key;
        private final String title;
        private final int groupSize;

        Figure(final String key, final String title, final int groupSize)
        {
            this.key = key;
            this.title = title;
            this.groupSize = groupSize;
        }

        String title(final int recordLength)
        {
            return FORCED.contains(this) ? String.format(Locale.ROOT, title, groupSize(recordLength)) : title;
        }

        /** The number of records per fsync, which is lower for long records. */
        int groupSize(final int recordLength)
        {
            assert FORCED.contains(this) : "no fsync: figure=" + this;
            return Math.max(1, Math.min(groupSize, MAX_GROUP_LENGTH / recordLength));
        }
    }
}
