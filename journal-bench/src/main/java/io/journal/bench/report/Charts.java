package io.journal.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.IntSummaryStatistics;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.journal.bench.run.Spread;

/**
 * The charts of a run: of the kind that the article had, or bars where there was none.
 */
final class Charts
{
    static final String WRITE = "writeBytesPerSecond";
    static final String DURABLE = "durableBytesPerSecond";
    static final String READ = "readBytesPerSecond";

    private static final Set<String> PERCENTILES = Set.of("p50Us", "p90Us", "p99Us", "p999Us", "p9999Us", "maxUs");

    /** When it was, not how long it took. */
    private static final Set<String> TIMES_OF_DAY = Set.of("startMs", "endMs");

    private Charts()
    {
    }

    static List<Chart> of(final ResultFile run)
    {
        if (run.cases().isEmpty())
        {
            return List.of();
        }

        final List<Chart> own = switch (run.experiment())
        {
            case "sequential" -> SequentialCharts.of(run);
            case "buffer-sweep" -> SweepCharts.of(run);
            case "streams-vs-channels" -> StreamsCharts.of(run);
            case "readers" -> ReadersCharts.of(run);
            case "journal" -> JournalCharts.of(run);
            case "group-commit" -> GroupCommitCharts.of(run);
            case "recommend" -> bars(run);
            default -> List.of();
        };
        final List<Chart> all = new ArrayList<>(own);
        all.addAll(PercentileCharts.of(run));
        return all.isEmpty() ? bars(run) : all;
    }

    /**
     * Whether a value is what was measured, not what it cost or how it is spread.
     */
    static boolean isFinding(final ResultFile run, final String key)
    {
        final boolean hasUnit = Unit.NONE != Unit.of(key) && Unit.COUNT != Unit.of(key);
        return hasUnit && !TIMES_OF_DAY.contains(key) && !key.endsWith("CpuUs") && !key.endsWith("StallUs") &&
            !(PERCENTILES.contains(key) && run.cases().stream().anyMatch(PercentileCharts::hasHistogram));
    }

    /**
     * Bars of every case, a chart for each value.
     */
    static List<Chart> bars(final ResultFile run)
    {
        final List<Chart> charts = new ArrayList<>();
        for (final String key : run.keys().stream().sorted().toList())
        {
            if (isFinding(run, key))
            {
                final List<Measured> cases = run.cases().stream().filter((each) -> each.has(key)).toList();
                final String title = Names.title(Names.value(key, run.profile()));
                charts.add(bars(run, key, title, cases, List.of(key), List.of()));
            }
        }

        return charts;
    }

    /**
     * Bars of some cases: of text alone the longest first, else in the order of the numbers.
     *
     * @param suffix     of the chart's name.
     * @param keys       values, all of one unit: a series each.
     * @param references published values, in the order of the cases.
     */
    static BarChart bars(
        final ResultFile run,
        final String suffix,
        final String title,
        final List<Measured> cases,
        final List<String> keys,
        final List<BarChart.Series> references)
    {
        final List<Integer> order = new ArrayList<>();
        for (int i = 0; i < cases.size(); i++)
        {
            order.add(i);
        }
        if (isOfTextAlone(cases))
        {
            final String first = keys.get(0);
            final int sign = Unit.of(first).isMoreBetter() ? -1 : 1;
            order.sort(Comparator.comparingDouble((i) -> sign * cases.get(i).spread(first).median()));
        }

        final List<String> labels = Cases.labels(cases);
        final List<BarChart.Series> series = new ArrayList<>();
        for (final String key : keys)
        {
            series.add(new BarChart.Series(
                Names.value(key, run.profile()), false, inOrder(order, cases.stream()
                    .map((each) -> each.has(key) ? each.spread(key) : null).toList())));
        }
        references.forEach(
            (each) -> series.add(new BarChart.Series(each.name(), true, inOrder(order, each.values()))));

        final double largest = keys.stream().flatMap((key) -> cases.stream().filter((each) -> each.has(key))
            .map((each) -> each.spread(key).max())).mapToDouble(Double::doubleValue).max().orElse(0);
        return new BarChart(
            run.name() + '-' + suffix, title, subtitle(run, cases), Unit.of(keys.get(0)).display(keys.get(0), largest),
            inOrder(order, labels), series);
    }

    /**
     * What the cases of a chart have in common, and how they were run.
     */
    static String subtitle(final ResultFile run, final List<Measured> cases)
    {
        final Map<String, String> common = Cases.common(cases);
        return (common.isEmpty() ? "" : Names.words(common) + "; ") + run.profile() + ", " + rounds(cases) +
            (run.isScaled() ? ", scaled to " + run.scale() : "");
    }

    private static String rounds(final List<Measured> cases)
    {
        final IntSummaryStatistics counts =
            cases.stream().mapToInt((each) -> each.rounds().size()).summaryStatistics();
        return counts.getMin() == counts.getMax() ? counts.getMax() + (1 == counts.getMax() ? " round" : " rounds") :
            counts.getMin() + " to " + counts.getMax() + " rounds";
    }

    /**
     * A value of a case as a point: its median, with the extremes as whiskers.
     */
    static LineChart.Point point(final double x, final Spread value)
    {
        return new LineChart.Point(x, value.median(), value.min(), value.max());
    }

    /**
     * A value of a case round by round.
     */
    static List<LineChart.Point> overRounds(final Measured measured, final String key)
    {
        final List<LineChart.Point> points = new ArrayList<>();
        measured.rounds().keySet().forEach((round) -> measured.number(round, key)
            .ifPresent((value) -> points.add(new LineChart.Point(round, value))));
        return points;
    }

    static LineChart.Axis rateAxis()
    {
        return new LineChart.Axis("MB/s", LineChart.Scale.LINEAR, new Unit.Display(1e6, "MB/s"), 0);
    }

    static double parameter(final Measured measured, final String name)
    {
        return Double.parseDouble(measured.parameters().get(name));
    }

    private static boolean isOfTextAlone(final List<Measured> cases)
    {
        final Set<String> common = Cases.common(cases).keySet();
        return cases.stream().allMatch((each) -> each.parameters().entrySet().stream()
            .allMatch((entry) -> common.contains(entry.getKey()) || !Names.isNumber(entry.getValue())));
    }

    private static <T> List<T> inOrder(final List<Integer> order, final List<T> all)
    {
        final List<T> ordered = new ArrayList<>();
        order.forEach((i) -> ordered.add(all.get(i)));
        return ordered;
    }
}
