package io.journal.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.IntSummaryStatistics;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.DoubleStream;
import java.util.stream.Stream;

import io.journal.bench.report.Chart.Axis;
import io.journal.bench.report.Chart.Panel;
import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Scale;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Percentiles;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Creates the charts of a run: bars to compare cases, lines over a varied parameter; those of the articles' experiments
 * with published values as hollow marks.
 */
record Charts(ResultFile run, List<Chart> all)
{
    static final String WRITE = "writeBytesPerSecond";
    static final String DURABLE = "durableBytesPerSecond";
    static final String READ = "readBytesPerSecond";

    private static final String READ_AGAIN = "readAgainBytesPerSecond";
    private static final List<String> RATES = List.of(WRITE, READ, DURABLE, READ_AGAIN);
    private static final int TICKS_PER_HALF = 5;
    private static final double NS_PER_US = 1e3;
    /** The scales of the readers article, in seconds. */
    private static final List<Double> ZOOMS = List.of(0.0, 10.0, 1.0);
    private static final Axis MB_PER_S = new Axis("MB/s", Scale.LINEAR, 1e6);

    static List<Chart> of(final ResultFile run)
    {
        final Charts charts = new Charts(run, new ArrayList<>());
        charts.drawAll();
        return charts.all;
    }

    private void drawAll()
    {
        switch (run.experiment())
        {
            case "sequential" -> sequential();
            case "buffer-sweep" -> sweep();
            case "streams-vs-channels" -> streams();
            case "readers" -> readers();
            case "journal" -> journal();
            case "group-commit" ->
            {
                overThreads("recordsPerSecond", "Durable records/s, by threads");
                overThreads("p99Us", "99th percentile of durable appends");
            }
            case "recommend" -> findings();
            default ->
            {
                // Percentiles, if any.
            }
        }
        percentiles();
        if (all.isEmpty())
        {
            findings();
        }
    }

    /** Bars of all cases: a chart per unit, a panel per value. */
    private void findings()
    {
        run.keys().stream().filter(run::isFinding).collect(Collectors.groupingBy((key) ->
        {
            final Unit unit = Unit.of(key);
            return Unit.PER_SECOND == unit && !key.startsWith("forced") ? key : unit.name();
        }, LinkedHashMap::new, Collectors.toList())).forEach((unit, keys) -> bars(
            keys.get(0), 1 == keys.size() ? title(keys.get(0)) : "Measured, by case", run.cases(), keys));
    }

    private void sequential()
    {
        // Every profile but the faithful one measures the durable rate.
        final List<String> rates = RATES.stream().filter((rate) -> !run.isFaithful() || !DURABLE.equals(rate)).toList();
        CaseResult.by(run.cases(), List.of("length", "pageLength", "layout")).forEach((key, cases) ->
        {
            final String suffix = suffix(key);
            bars(suffix, "Sequential writing and reading", cases, rates, (rate) -> run.isFaithful() ?
                PublishedResults.sequential(cases, rate) : List.of());
            if (run.isFaithful())
            {
                overRounds(suffix + "-passes", "Pass by pass", "pass", cases);
            }
        });
        if (CaseResult.valuesOf(run.cases(), "pageLength").size() > 2)
        {
            CaseResult.by(run.cases(), List.of("length", "layout")).forEach((key, cases) ->
            {
                final Set<String> common = CaseResult.common(cases).keySet();
                lines(
                    suffix(key) + "-pages", "Over the length of a page", new Axis("bytes at a time", Scale.BYTES, 1),
                    MB_PER_S, panels(RATES, (rate) -> over("pageLength", cases, rate, (each) ->
                    {
                        final String words = each.words(common, Set.of("pageLength"));
                        return words.isEmpty() ? each.parameters().getOrDefault("way", "all") : words;
                    })));
            });
        }
    }

    /** The length, and what else there are several of. */
    private String suffix(final Map<String, String> key)
    {
        return key.getOrDefault("length", "") + Stream.of("pageLength", "layout")
            .filter((name) -> key.containsKey(name) && CaseResult.valuesOf(run.cases(), name).size() > 1)
            .map((name) -> '-' + key.get(name).toLowerCase(Locale.ROOT)).collect(Collectors.joining());
    }

    private void sweep()
    {
        final List<Panel> panels = new ArrayList<>();
        CaseResult.by(run.cases(), List.of("direction")).forEach((key, cases) -> panels.addAll(panels(
            List.of(key.get("direction") + "BytesPerSecond", DURABLE), (rate) -> Stream.concat(
                over("bufferLength", cases, rate, (each) -> "here"),
                READ.equals(rate) ? PublishedResults.sweep().stream() : Stream.empty()))));
        lines(
            "buffers", "Byte by byte, over the stream's buffer", new Axis("buffer", Scale.BYTES, 1), MB_PER_S, panels);
    }

    /** Named like the original's charts. */
    private void streams()
    {
        final String write = "durable".equals(run.profile()) ? DURABLE : WRITE;
        bars("bb_read_write", "Direct or indirect buffer", run.cases().stream()
            .filter((each) -> each.parameter("way").contains("irect") && (each.has(write) || each.has(READ))).toList(),
            List.of(write, READ));
        barsByBuffer("all_w", "Writing: streams, channels, mapped", write);
        barsByBuffer("all_r", "Reading: streams, channels, mapped", READ);
        CaseResult.by(run.cases(), List.of("bufferLength")).forEach((key, cases) ->
        {
            final String buffer = DisplayNames.bytes(key.get("bufferLength"));
            overRounds(
                "runs_" + buffer.replace(" KiB", "k").replace(" ", ""), "Run by run, buffer of " + buffer, "run",
                cases);
        });
    }

    private void barsByBuffer(final String suffix, final String title, final String key)
    {
        final List<CaseResult> cases = CaseResult.having(run.cases(), key);
        add(suffix, title, true, new Axis("", Scale.LINEAR, 1), axis(cases, List.of(key)),
            CaseResult.by(cases, List.of("bufferLength")).entrySet().stream().map((group) -> new Panel(
                title(key) + ", " + DisplayNames.words(group.getKey()),
                Stream.concat(
                    bars(group.getValue(), key),
                    READ.equals(key) ? PublishedResults.streams(group.getKey()) : Stream.empty()).toList()))
                .toList(),
            cases);
    }

    /** Time to read the file over the length of array or buffer; bars if no length is varied. */
    private void readers()
    {
        final List<CaseResult> cases = CaseResult.having(run.cases(), READ);
        final DoubleSummaryStatistics sizes =
            run.cases().stream().mapToDouble(Charts::size).filter((size) -> size > 0).summaryStatistics();
        if (0 == sizes.getCount())
        {
            bars("read", "Reading", cases, List.of(READ));
            return;
        }

        final List<CaseResult> sorted = CaseResult.by(cases, List.of("way", "varied", BenchmarkCase.JVM_FLAGS)).values()
            .stream().flatMap(List::stream).toList();
        final List<Series> series = series(sorted, Charts::reader, (each) ->
        {
            // Slow cases read a part of the file: the time of the whole file follows from the rate.
            final double length = each.number("length");
            final Interval rate = Interval.of(each.numbers(READ));
            final double size = size(each);
            return (0 == size ? DoubleStream.of(sizes.getMin(), sizes.getMax()) : DoubleStream.of(size))
                .mapToObj((x) -> new Point(x, length / rate.median(), length / rate.high(), length / rate.low()));
        }).toList();
        // The article read the whole file: for a fraction of it, scale the zooms by the same fraction.
        lines(
            "time", "Time to read the file" + (run.isScaled() ? ", scaled" : ""),
            new Axis("array or buffer", Scale.BYTES, 1),
            new Axis("s", Scale.LOG, 1, ZOOMS.stream().map((zoom) -> zoom * run.header().scale()).toList()),
            List.of(new Panel("", series)));
    }

    private static String reader(final CaseResult measured)
    {
        final String varied = measured.parameter("varied");
        final String flags = measured.parameter(BenchmarkCase.JVM_FLAGS);
        return DisplayNames.words("way", measured.parameter("way")) +
            (Set.of("both", "buffer").contains(varied) ? ", " + varied : "") + (flags.isEmpty() ? "" : ", " + flags);
    }

    /** The varied length; 0 if there is none. */
    private static double size(final CaseResult measured)
    {
        final boolean isArray = measured.parameters().containsKey("arrayLength") &&
            !"buffer".equals(measured.parameter("varied"));
        return measured.number(isArray ? "arrayLength" : "bufferLength");
    }

    private void journal()
    {
        // The page length of a plain file is the record length.
        CaseResult
            .by(run.cases(), (each) -> each.parameters().getOrDefault("recordLength", each.parameter("pageLength")))
            .forEach((length, cases) -> bars(
                length, "Journal and plain files, records of " + DisplayNames.bytes(length), cases,
                List.of(WRITE, DURABLE, READ)));
    }

    private void overThreads(final String key, final String title)
    {
        final double most = run.cases().stream().mapToDouble((each) -> each.number("threads")).max().orElse(1);
        final Stream<Series> series = series(CaseResult.having(run.cases(), key), CaseResult::strategy, (each) ->
        {
            final Point point = Point.of(each.number("threads"), each.spread(key));
            // A case without backend is the baseline: drawn as a level line.
            return each.parameters().containsKey("backend") || point.x() == most ? Stream.of(point) :
                Stream.of(point, Point.of(most, point.y()));
        });
        lines(
            key, title, new Axis("threads", Scale.COUNT, 1), axis(run.cases(), List.of(key)),
            List.of(new Panel("", series.toList())));
    }

    /** Latencies over all rounds: a panel per combination, a line per backend. */
    private void percentiles()
    {
        final List<CaseResult> cases = run.cases().stream().filter(CaseResult::hasLatencies).toList();
        final Set<String> common = CaseResult.common(cases).keySet();
        // The effect of the file layout is compared within one API.
        final boolean isOverLayouts = CaseResult.valuesOf(cases, "layout").size() > 1;
        final Set<String> varied = isOverLayouts ? Set.of("layout") : Set.of("backend", "windowLength", "way");
        final List<Panel> panels = CaseResult.by(cases, (each) -> each.words(common, varied)).entrySet().stream()
            .map((alike) -> new Panel(
                alike.getKey(), alike.getValue().stream().map((each) -> latencies(each, isOverLayouts)).toList()))
            .toList();
        final double largest = panels.stream().flatMap((panel) -> panel.series().stream())
            .flatMap((series) -> series.points().stream()).mapToDouble(Point::y).max().orElse(1);
        final Axis unit = Unit.MICROSECONDS.axis("", Math.sqrt(largest));
        lines(
            "percentiles", "Latency by percentile, all rounds together", new Axis("percentile", Scale.PERCENTILE, 1),
            new Axis(unit.title(), Scale.LOG, unit.divisor()), panels);
    }

    private static Series latencies(final CaseResult measured, final boolean isOverLayouts)
    {
        final Histogram latencies = Percentiles.merged(measured.texts(Percentiles.HISTOGRAM));
        // Ends the line at the percentile that a single sample represents.
        final double last = 100 * (1 - 1.0 / Math.max(2, latencies.getTotalCount()));
        final List<Point> points = new ArrayList<>();
        for (final HistogramIterationValue value : latencies.percentiles(TICKS_PER_HALF))
        {
            points.add(Point.of(
                Math.min(last, value.getPercentileLevelIteratedTo()),
                Math.max(1, value.getValueIteratedTo()) / NS_PER_US));
        }

        final String strategy = measured.strategy();
        final String window = measured.parameters().getOrDefault("windowLength", "0");
        return new Series(
            isOverLayouts ? DisplayNames.words("layout", measured.parameter("layout")) :
                "0".equals(window) ? strategy : strategy + ", " + DisplayNames.words("windowLength", window),
            DisplayNames.family(strategy), false, points);
    }

    /** A line for each case, round by round, if there are several rounds. */
    private void overRounds(final String suffix, final String title, final String x, final List<CaseResult> cases)
    {
        if (cases.stream().anyMatch((each) -> each.rounds().size() > 1))
        {
            lines(suffix, title, new Axis(x, Scale.COUNT, 1), MB_PER_S, panels(RATES, (key) -> labelled(
                cases, key, (each) -> each.rounds().keySet().stream().flatMap((round) -> each.number(round, key)
                    .stream().mapToObj((value) -> Point.of(round, value))))));
        }
    }

    private void bars(final String suffix, final String title, final List<CaseResult> cases, final List<String> keys)
    {
        bars(suffix, title, cases, keys, (key) -> List.of());
    }

    private void bars(
        final String suffix, final String title, final List<CaseResult> cases, final List<String> keys,
        final Function<String, List<Series>> published)
    {
        add(
            suffix, title, true, new Axis("", Scale.LINEAR, 1), axis(cases, keys),
            panels(keys, (key) -> Stream.concat(bars(cases, key), published.apply(key).stream())), cases);
    }

    /** Bars of a value, ordered by family so that a backend has the same position in every chart. */
    private static Stream<Series> bars(final List<CaseResult> cases, final String key)
    {
        return labelled(cases, key, (each) -> Stream.of(Point.of(0, each.spread(key))))
            .sorted(Comparator.comparing(Series::family));
    }

    private void lines(final String suffix, final String title, final Axis x, final Axis y, final List<Panel> panels)
    {
        add(suffix, title, false, x, y, panels.stream().flatMap(Panel::split).toList(), run.cases());
    }

    /** Adds a chart of the panels with measured values; its subtitle has the common parameters, profile and rounds. */
    private void add(
        final String suffix, final String title, final boolean isBars, final Axis x, final Axis y,
        final List<Panel> panels, final List<CaseResult> cases)
    {
        final List<Panel> measured = panels.stream()
            .filter((panel) -> !panel.series().stream().allMatch(Series::isPublished)).toList();
        if (!measured.isEmpty())
        {
            final String common = DisplayNames.words(CaseResult.common(cases));
            final IntSummaryStatistics rounds =
                cases.stream().mapToInt((each) -> each.rounds().size()).summaryStatistics();
            final String subtitle = (common.isEmpty() ? "" : common + "; ") + run.profile() + ", " +
                (rounds.getMin() == rounds.getMax() ? "" : rounds.getMin() + " to ") + rounds.getMax() +
                (1 == rounds.getMax() ? " round" : " rounds") +
                (run.isScaled() ? ", scaled to " + run.header().scale() : "");
            all.add(new Chart(run.name() + '-' + suffix, title, subtitle, isBars, x, y, measured));
        }
    }

    private List<Panel> panels(final List<String> keys, final Function<String, Stream<Series>> series)
    {
        return keys.stream().map((key) -> new Panel(title(key), series.apply(key).toList())).toList();
    }

    /** A series for each case that has the value, by its shortest distinctive label. */
    private static Stream<Series> labelled(
        final List<CaseResult> cases, final String key, final Function<CaseResult, Stream<Point>> points)
    {
        final List<CaseResult> having = CaseResult.having(cases, key);
        return series(having, CaseResult.labels(having)::get, points);
    }

    /** A series for each name, over a length. */
    private static Stream<Series> over(
        final String length, final List<CaseResult> cases, final String key, final Function<CaseResult, String> name)
    {
        return series(
            CaseResult.having(cases, key), name,
            (each) -> Stream.of(Point.of(each.number(length), each.spread(key))));
    }

    /** A series for each name, through the points of its cases. */
    private static Stream<Series> series(
        final List<CaseResult> cases, final Function<CaseResult, String> name,
        final Function<CaseResult, Stream<Point>> points)
    {
        return CaseResult.by(cases, name).entrySet().stream().map((group) -> new Series(
            group.getKey(), DisplayNames.family(group.getKey()), false,
            group.getValue().stream().flatMap(points).toList()));
    }

    private static Axis axis(final List<CaseResult> cases, final List<String> keys)
    {
        final double largest = keys.stream().flatMap((key) -> cases.stream().map((each) -> each.numbers(key)))
            .flatMapToDouble(Arrays::stream).max().orElse(0);
        return Unit.of(keys.get(0)).axis(keys.get(0), largest);
    }

    private String title(final String key)
    {
        final String words = DisplayNames.value(key, run.profile());
        return words.isEmpty() ? words : Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }
}
