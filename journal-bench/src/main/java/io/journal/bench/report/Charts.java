package io.journal.bench.report;

import io.journal.bench.report.Chart.Axis;
import io.journal.bench.report.Chart.Panel;
import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Scale;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.run.Percentiles;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Creates the charts of a run: bars to compare cases, lines over a varied parameter.
 */
final class Charts
{
    static final String WRITE = "writeBytesPerSecond";
    static final String DURABLE = "durableBytesPerSecond";
    static final String READ = "readBytesPerSecond";
    static final String READ_AGAIN = "readAgainBytesPerSecond";

    private static final Set<String> PERCENTILES = Set.of("p50Us", "p90Us", "p99Us", "p999Us", "p9999Us", "maxUs");
    /** Timestamps, not durations. */
    private static final Set<String> TIMES_OF_DAY = Set.of("startMs", "endMs");
    private static final String HISTOGRAM = "histogram";
    private static final int TICKS_PER_HALF = 5;
    private static final double NS_PER_US = 1e3;

    private final ResultFile run;

    Charts(final ResultFile run)
    {
        this.run = run;
    }

    static List<Chart> of(final ResultFile run)
    {
        if (run.cases().isEmpty())
        {
            return List.of();
        }

        final Charts charts = new Charts(run);
        final List<Chart> all = new ArrayList<>(switch (run.experiment())
        {
            case "sequential", "buffer-sweep", "streams-vs-channels", "readers" -> new ArticleCharts(run).all();
            case "journal" -> charts.journal();
            case "group-commit" -> charts.overThreads();
            case "recommend" -> charts.bars();
            default -> List.of();
        });
        all.addAll(charts.percentiles());

        return all.isEmpty() ? charts.bars() : all;
    }

    /**
     * Whether a value is a result, not resource usage or a percentile.
     */
    static boolean isFinding(final ResultFile run, final String key)
    {
        final boolean hasUnit = Unit.NONE != Unit.of(key) && Unit.COUNT != Unit.of(key);
        return hasUnit && !TIMES_OF_DAY.contains(key) && !key.endsWith("CpuUs") && !key.endsWith("StallUs") &&
            !(PERCENTILES.contains(key) && run.cases().stream().anyMatch(Charts::hasHistogram));
    }

    /**
     * Bars of all cases: a chart per unit, a panel per value.
     */
    private List<Chart> bars()
    {
        final Map<String, List<String>> byUnit = new LinkedHashMap<>();
        for (final String key : run.keys().stream().sorted().filter((key) -> isFinding(run, key)).toList())
        {
            final Unit unit = Unit.of(key);
            byUnit.computeIfAbsent(Unit.PER_SECOND == unit && !key.startsWith("forced") ? key : unit.name(),
                (name) -> new ArrayList<>()).add(key);
        }

        final List<Chart> charts = new ArrayList<>();
        byUnit.values().forEach((keys) -> charts.add(bars(
            keys.get(0), 1 == keys.size() ? title(keys.get(0)) : "Measured, by case", run.cases(), keys)));
        return charts;
    }

    private List<Chart> journal()
    {
        // The page length of a plain file is the record length.
        final List<Chart> charts = new ArrayList<>();
        final Map<String, List<CaseResult>> byLength = Cases.by(run.cases(), (each) -> each.parameters()
            .getOrDefault("recordLength", each.parameters().getOrDefault("pageLength", "")));
        byLength.forEach((length, cases) -> charts.add(bars(
            length, "Journal and plain files, records of " + DisplayNames.bytes(length), cases,
            List.of(WRITE, DURABLE, READ))));
        return charts;
    }

    private List<Chart> overThreads()
    {
        final double last = run.cases().stream().mapToDouble((each) -> each.parameter("threads")).max().orElse(1);
        final List<Chart> charts = new ArrayList<>();
        for (final String key : List.of("recordsPerSecond", "p99Us"))
        {
            final List<Series> series = new ArrayList<>();
            // A case without backend is the baseline: drawn as a level line.
            Cases.by(Cases.having(run.cases(), key), (each) -> each.parameters().getOrDefault("backend", each.label()))
                .forEach((name, cases) ->
                {
                    final List<Point> points = new ArrayList<>();
                    cases.forEach((each) -> points.add(Point.of(each.parameter("threads"), each.spread(key))));
                    if (1 == points.size() && points.get(0).x() < last && !DisplayNames.isBackend(name))
                    {
                        points.add(Point.of(last, points.get(0).y()));
                    }
                    series.add(Series.measured(name, points));
                });
            if (!series.isEmpty())
            {
                charts.add(lines(
                    key, "recordsPerSecond".equals(key) ? "Durable records/s, by threads" :
                        "99th percentile of durable appends",
                    new Axis("threads", Scale.COUNT, 1), axis(key, run.cases(), List.of(key)),
                    List.of(new Panel("", series))));
            }
        }
        return charts;
    }

    /**
     * Latencies over all rounds: a panel per combination, a line per backend.
     */
    private List<Chart> percentiles()
    {
        final List<CaseResult> all = run.cases().stream().filter(Charts::hasHistogram).toList();
        if (all.isEmpty())
        {
            return List.of();
        }

        final Set<String> common = Cases.common(all).keySet();
        // The effect of the file layout is compared within one API.
        final boolean isOverLayouts = Cases.valuesOf(all, "layout").size() > 1;
        final Set<String> varied = isOverLayouts ? Set.of("layout") : Set.of("backend", "windowLength", "way");
        final List<Panel> panels = new ArrayList<>();
        Cases
            .by(all,
                (each) -> DisplayNames
                    .words(Cases.without(each.parameters(), common, varied)))
            .forEach((title, cases) ->
            {
                final List<Series> series = new ArrayList<>();
                cases.forEach((each) -> series.add(series(each, isOverLayouts, percentiles(each))));
                panels.addAll(split(new Panel(title, series)));
            });

        final double largest = panels.stream().flatMap((panel) -> panel.series().stream())
            .flatMap((series) -> series.points().stream()).mapToDouble(Point::y).max().orElse(1);
        final Unit.Display unit = Unit.MICROSECONDS.display("", Math.sqrt(largest));
        return List.of(lines(
            "percentiles", "Latency by percentile, all rounds together", new Axis("percentile", Scale.PERCENTILE, 1),
            new Axis(unit.name(), Scale.LOG, unit.divisor()), panels));
    }

    private static Series series(final CaseResult measured, final boolean isOverLayouts, final List<Point> points)
    {
        final Map<String, String> parameters = measured.parameters();
        final String backend = parameters.containsKey("way") ? DisplayNames.words("way", parameters.get("way")) :
            parameters.getOrDefault("backend", measured.label());
        if (isOverLayouts)
        {
            return new Series(
                DisplayNames.words("layout", parameters.get("layout")), DisplayNames.family(backend), false, points);
        }
        final String window = parameters.getOrDefault("windowLength", "0");
        return new Series(
            "0".equals(window) ? backend : backend + ", " + DisplayNames.words("windowLength", window),
            DisplayNames.family(backend),
            false, points);
    }

    private static List<Point> percentiles(final CaseResult measured)
    {
        final Histogram latencies = Percentiles.merged(measured.texts(HISTOGRAM));
        // Ends the line at the percentile that a single sample represents.
        final double last = 100 * (1 - 1.0 / Math.max(2, latencies.getTotalCount()));
        final List<Point> points = new ArrayList<>();
        for (final HistogramIterationValue value : latencies.percentiles(TICKS_PER_HALF))
        {
            points.add(Point.of(
                Math.min(last, value.getPercentileLevelIteratedTo()),
                Math.max(1, value.getValueIteratedTo()) / NS_PER_US));
        }
        return points;
    }

    static boolean hasHistogram(final CaseResult measured)
    {
        return !measured.texts(HISTOGRAM).isEmpty();
    }

    /**
     * Bars of some cases, a panel per value, ordered by family so that a backend has the same position in every chart.
     */
    Chart bars(final String suffix, final String title, final List<CaseResult> cases, final List<String> keys)
    {
        final List<Panel> panels = panels(keys, (key) ->
        {
            final List<Series> series =
                labelled(cases, key, (each) -> List.of(Point.of(0, each.spread(key))));
            series.sort(Comparator.comparing(Series::family));
            return series;
        });
        final Axis none = new Axis("", Scale.LINEAR, 1);
        return new Chart(
            run.name() + '-' + suffix, title, subtitle(cases), true, none, axis(keys.get(0), cases, keys), panels);
    }

    /** A panel for each value that a case has. */
    List<Panel> panels(final List<String> keys, final Function<String, List<Series>> series)
    {
        return keys.stream().map((key) -> new Panel(title(key), series.apply(key)))
            .filter((panel) -> !panel.series().isEmpty()).toList();
    }

    /** A series for each case that has the value, by its shortest distinctive label. */
    static List<Series> labelled(
        final List<CaseResult> cases, final String key, final Function<CaseResult, List<Point>> points)
    {
        final List<CaseResult> having = Cases.having(cases, key);
        final List<String> labels = Cases.labels(having);
        final List<Series> series = new ArrayList<>();
        for (int i = 0; i < having.size(); i++)
        {
            series.add(Series.measured(labels.get(i), points.apply(having.get(i))));
        }
        return series;
    }

    /**
     * Lines, split into panels of few enough lines.
     */
    Chart lines(final String suffix, final String title, final Axis x, final Axis y, final List<Panel> panels)
    {
        final List<Panel> split = new ArrayList<>();
        panels.forEach((panel) -> split.addAll(split(panel)));
        return new Chart(run.name() + '-' + suffix, title, subtitle(run.cases()), false, x, y, split);
    }

    private static List<Panel> split(final Panel panel)
    {
        if (panel.series().size() <= Chart.MAX_LINES)
        {
            return List.of(panel);
        }

        // Split by family; published series are repeated in each panel.
        final List<Series> published = panel.series().stream().filter(Series::isPublished).toList();
        final Map<String, List<Series>> families = new LinkedHashMap<>();
        panel.series().stream().filter((each) -> !each.isPublished()).sorted(Comparator.comparing(Series::family))
            .forEach((each) -> families.computeIfAbsent(each.family(), (key) -> new ArrayList<>()).add(each));
        final List<Panel> panels = new ArrayList<>();
        families.forEach((family, series) ->
        {
            final int most = Math.max(1, Chart.MAX_LINES - 1 - published.size());
            for (int i = 0; i < series.size(); i += most)
            {
                final List<Series> part = new ArrayList<>(series.subList(i, Math.min(series.size(), i + most)));
                part.addAll(published);
                panels
                    .add(new Panel((panel.title().isEmpty() ? "" : panel.title() + ": ") + family.substring(2), part));
            }
        });
        return panels;
    }

    /**
     * A line per group of cases that differ in one parameter only.
     */
    List<Series> over(final List<CaseResult> cases, final String key, final Function<CaseResult, Point> point)
    {
        final List<Series> series = new ArrayList<>();
        final Set<String> varied = new LinkedHashSet<>(List.of("pageLength"));
        final Set<String> common = Cases.common(cases).keySet();
        Cases.by(Cases.having(cases, key), (each) -> name(Cases.without(each.parameters(), common, varied), each))
            .forEach((name, line) -> series.add(
                Series.measured(name, line.stream().map(point).toList())));
        return series;
    }

    private static String name(final Map<String, String> own, final CaseResult measured)
    {
        return own.isEmpty() ? measured.parameters().getOrDefault("way", "all") : DisplayNames.words(own);
    }

    /**
     * A value of a case, round by round.
     */
    static List<Point> overRounds(final CaseResult measured, final String key)
    {
        final List<Point> points = new ArrayList<>();
        measured.rounds().keySet().forEach((round) -> measured.number(round, key)
            .ifPresent((value) -> points.add(Point.of(round, value))));
        return points;
    }

    private static Axis axis(final String key, final List<CaseResult> cases, final List<String> keys)
    {
        final Unit.Display unit = Unit.of(key).display(key, largest(cases, keys));
        return new Axis(unit.name(), Scale.LINEAR, unit.divisor());
    }

    private static double largest(final List<CaseResult> cases, final List<String> keys)
    {
        return keys.stream().flatMap((key) -> Cases.having(cases, key).stream().map((each) -> each.numbers(key)))
            .flatMapToDouble(Arrays::stream).max().orElse(0);
    }

    String title(final String key)
    {
        return DisplayNames.title(DisplayNames.value(key, run.profile()));
    }

    /**
     * Common parameters of the cases, profile and rounds.
     */
    private String subtitle(final List<CaseResult> cases)
    {
        final Map<String, String> common = Cases.common(cases);
        final int least = cases.stream().mapToInt((each) -> each.rounds().size()).min().orElse(0);
        final int most = cases.stream().mapToInt((each) -> each.rounds().size()).max().orElse(0);
        return (common.isEmpty() ? "" : DisplayNames.words(common) + "; ") + run.profile() + ", " +
            (least == most ? "" : least + " to ") + most + (1 == most ? " round" : " rounds") +
            (run.isScaled() ? ", scaled to " + run.scale() : "");
    }
}
