package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;

/**
 * Measured figures of configurations, round by round.
 */
final class Measurements
{
    private final List<Map<BackendConfig, Map<Figure, Double>>> rounds = new ArrayList<>();

    static Measurements of(final Collection<BackendConfig> cases, final Results results)
    {
        final Measurements measurements = new Measurements();
        for (int i = 0; i < results.roundCount(); i++)
        {
            final int round = i;
            measurements
                .add(
                    cases.stream()
                        .collect(
                            Collectors
                                .toMap(Function.identity(),
                                    (each) -> Stream.of(Figure.values()).collect(Collectors.toMap(
                                        Function.identity(),
                                        (figure) -> results.of(each.label(), figure.key)[round])))));
        }
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
    Comparison recordsPerSecond(final BackendConfig measured, final Figure figure, final int recordLength)
    {
        final int unit = Figure.FORCED.contains(figure) ? 1 : recordLength;
        return Comparison.of(rounds.stream().filter((round) -> round.containsKey(measured))
            .mapToDouble((round) -> round.get(measured).get(figure) / unit).toArray());
    }

    /** Compares two configurations over the rounds in which both were measured. */
    Comparison compare(final BackendConfig measured, final BackendConfig baseline, final List<Figure> figures)
    {
        return Comparison.of(ratios(measured, baseline, figures));
    }

    /** Ratios of two configurations by round; several figures are combined by their geometric mean. */
    double[] ratios(final BackendConfig measured, final BackendConfig baseline, final List<Figure> figures)
    {
        return rounds.stream().filter((round) -> round.containsKey(measured) && round.containsKey(baseline))
            .mapToDouble((round) -> Spread.geometricMean(figures.stream()
                .mapToDouble((figure) -> round.get(measured).get(figure) / round.get(baseline).get(figure)).toArray()))
            .toArray();
    }

    /** What is measured of each configuration. */
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

        /** Records per fsync: fewer if they are long. */
        int groupSize(final int recordLength)
        {
            assert FORCED.contains(this) : "no fsync: figure=" + this;
            return Math.max(1, Math.min(groupSize, MAX_GROUP_LENGTH / recordLength));
        }
    }

    /**
     * Ratio of two configurations, paired by round: the median, and its confidence interval of 97.5 % or more by the
     * sign test, see {@link Interval}. Also used for rates instead of ratios.
     *
     * @param rounds that were measured.
     */
    record Comparison(double low, double median, double high, int rounds)
    {
        /** The smallest relevant ratio: less does not justify leaving the default, and is not reproducible. */
        static final double MEANINGFUL = 1.25;

        /** Fewer rounds cannot reach that confidence. */
        static final int MIN_ROUNDS = 7;

        private static final double MAX_ERROR = 0.025;

        /** Of one or more ratios, in any order. */
        static Comparison of(final double... ratios)
        {
            final Interval interval = Interval.of(1 - MAX_ERROR, ratios);
            return new Comparison(interval.low(), interval.median(), interval.high(), ratios.length);
        }

        /** Significantly better, with a relevant median. */
        boolean isAhead()
        {
            return isSurelyAhead() && median >= MEANINGFUL;
        }

        /** Significantly better, by any amount. */
        boolean isSurelyAhead()
        {
            return rounds >= MIN_ROUNDS && low > 1;
        }

        /** Significantly better by a relevant amount. */
        boolean isFarAhead()
        {
            return rounds >= MIN_ROUNDS && low >= MEANINGFUL;
        }

        Comparison dividedBy(final double divisor)
        {
            return new Comparison(low / divisor, median / divisor, high / divisor, rounds);
        }

        /** The median, and the interval in brackets, with the format of a number. */
        String text(final String format)
        {
            return new Spread(low, median, high).text(format);
        }

        @Override
        public String toString()
        {
            return text("%.2f");
        }
    }
}
