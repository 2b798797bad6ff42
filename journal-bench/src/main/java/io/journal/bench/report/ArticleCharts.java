package io.journal.bench.report;

import io.journal.bench.report.Chart.Axis;
import io.journal.bench.report.Chart.Panel;
import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Scale;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.run.Interval;
import io.journal.bench.run.BenchmarkCase;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;

/**
 * The charts of the articles' experiments, with published values as hollow marks.
 */
final class ArticleCharts
{
    /** Position of "no buffer" on a logarithmic axis: 0.1 kB, as in the article. */
    static final double NO_BUFFER = 102.4;

    private static final String STRATEGY = "way";
    private static final String BUFFER = "bufferLength";
    private static final String ARRAY = "arrayLength";
    private static final String VARIED = "varied";
    private static final String PAGE = "pageLength";
    private static final List<String> RATES =
        List.of(Charts.WRITE, Charts.READ, Charts.DURABLE, Charts.READ_AGAIN);
    /** The scales of the readers article, in seconds. */
    private static final List<Double> ZOOMS = List.of(0.0, 10.0, 1.0);

    private final ResultFile run;
    private final Charts charts;
    private final List<Chart> all = new ArrayList<>();

    ArticleCharts(final ResultFile run)
    {
        this.run = run;
        charts = new Charts(run);
    }

    List<Chart> all()
    {
        switch (run.experiment())
        {
            case "sequential" -> sequential();
            case "buffer-sweep" -> sweep();
            case "streams-vs-channels" -> streams();
            default -> readers();
        }
        return all;
    }

    private void sequential()
    {
        final boolean isFaithful = "faithful".equals(run.profile());
        Cases.by(run.cases(), "length", PAGE, "layout").forEach((key, cases) ->
        {
            final String suffix = suffix(key);
            // Every profile but the faithful one measures the durable rate.
            final Chart bars = charts.bars(
                suffix, "Sequential writing and reading", cases,
                RATES.stream().filter((rate) -> !isFaithful || !Charts.DURABLE.equals(rate)).toList());
            all.add(isFaithful ? withPublished(bars, cases) : bars);
            if (isFaithful && cases.stream().anyMatch((each) -> each.rounds().size() > 1))
            {
                overRounds(suffix + "-passes", "Pass by pass", "pass", cases);
            }
        });
        if (Cases.valuesOf(run.cases(), PAGE).size() > 2)
        {
            Cases.by(run.cases(), "length", "layout").forEach((key, cases) -> overPages(suffix(key), cases));
        }
    }

    private Chart withPublished(final Chart bars, final List<CaseResult> cases)
    {
        final List<Panel> panels = new ArrayList<>();
        for (final Panel panel : bars.panels())
        {
            final String key = RATES.stream().filter((each) -> charts.title(each).equals(panel.title())).findFirst()
                .orElseThrow();
            final List<Series> series = new ArrayList<>(panel.series());
            series.addAll("streams-vs-channels".equals(run.experiment()) ? PublishedResults.streams() :
                PublishedResults.sequential(cases, Cases.labels(Cases.having(cases, key)), key));
            panels.add(new Panel(panel.title(), series));
        }
        return new Chart(bars.name(), bars.title(), bars.subtitle(), true, bars.x(), bars.y(), panels);
    }

    private void overPages(final String suffix, final List<CaseResult> cases)
    {
        final List<Panel> panels = charts.panels(
            RATES, (key) -> charts.over(cases, key, (each) -> Point.of(each.parameter(PAGE), each.spread(key))));
        all.add(charts.lines(
            suffix + "-pages", "Over the length of a page", new Axis("bytes at a time", Scale.BYTES, 1),
            new Axis("MB/s", Scale.LINEAR, 1e6), panels));
    }

    private void overRounds(final String suffix, final String title, final String x, final List<CaseResult> cases)
    {
        final List<Panel> panels = charts.panels(
            RATES, (key) -> Charts.labelled(cases, key, (each) -> Charts.overRounds(each, key)));
        all.add(charts.lines(
            suffix, title, new Axis(x, Scale.COUNT, 1), new Axis("MB/s", Scale.LINEAR, 1e6), panels));
    }

    private String suffix(final Map<String, String> key)
    {
        final StringBuilder suffix = new StringBuilder(key.getOrDefault("length", ""));
        for (final String name : List.of(PAGE, "layout"))
        {
            if (key.containsKey(name) && Cases.valuesOf(run.cases(), name).size() > 1)
            {
                suffix.append('-').append(key.get(name).toLowerCase(Locale.ROOT));
            }
        }
        return suffix.toString();
    }

    private void sweep()
    {
        final List<Panel> panels = new ArrayList<>();
        for (final String direction : Cases.valuesOf(run.cases(), "direction"))
        {
            final List<CaseResult> cases = Cases.with(run.cases(), "direction", direction);
            for (final String key : List.of(direction + "BytesPerSecond", Charts.DURABLE))
            {
                final List<Point> points = Cases.having(cases, key).stream()
                    .map((each) -> Point.of(place(each.parameter(BUFFER)), each.spread(key))).toList();
                if (!points.isEmpty())
                {
                    final List<Series> series = new ArrayList<>(List.of(
                        new Series("here", DisplayNames.family("stream"), false, points)));
                    if ("read".equals(direction) && !Charts.DURABLE.equals(key))
                    {
                        series.addAll(PublishedResults.sweep());
                    }
                    panels.add(new Panel(charts.title(key), series));
                }
            }
        }
        all.add(charts.lines(
            "buffers", "Byte by byte, over the stream's buffer", new Axis("buffer", Scale.BYTES, 1),
            new Axis("MB/s", Scale.LINEAR, 1e6), panels));
    }

    /**
     * Position of a buffer length on the axis.
     */
    static double place(final double length)
    {
        return 0 == length ? NO_BUFFER : length;
    }

    /**
     * Named like the original's charts.
     */
    private void streams()
    {
        final String write = "durable".equals(run.profile()) ? Charts.DURABLE : Charts.WRITE;
        final Predicate<CaseResult> isBuffer = (each) -> each.parameters().get(STRATEGY).contains("irect");
        bars("bb_read_write", "Direct or indirect buffer", run.cases().stream().filter(isBuffer).toList(), write,
            Charts.READ);
        bars("all_w", "Writing: streams, channels, mapped", run.cases(), write);
        bars("all_r", "Reading: streams, channels, mapped", run.cases(), Charts.READ);
        if (!all.isEmpty() && all.get(all.size() - 1).name().endsWith("all_r"))
        {
            all.set(all.size() - 1, withPublished(all.get(all.size() - 1), run.cases()));
        }
        for (final String buffer : Cases.valuesOf(run.cases(), BUFFER))
        {
            final List<CaseResult> cases = Cases.with(run.cases(), BUFFER, buffer);
            if (cases.stream().anyMatch((each) -> each.rounds().size() > 1))
            {
                overRounds(
                    "runs_" + DisplayNames.bytes(buffer).replace(" KiB", "k").replace(" ", ""),
                    "Run by run, buffer of " + DisplayNames.bytes(buffer), "run", cases);
            }
        }
    }

    private void bars(final String name, final String title, final List<CaseResult> cases, final String... keys)
    {
        final List<CaseResult> having =
            cases.stream().filter((each) -> List.of(keys).stream().anyMatch(each::has)).toList();
        if (!having.isEmpty())
        {
            all.add(charts.bars(name, title, having, List.of(keys)));
        }
    }

    /**
     * Time to read the file over the length of array or buffer; bars if no length is varied.
     */
    private void readers()
    {
        if (run.cases().stream().noneMatch((each) -> size(each) > 0))
        {
            bars("read", "Reading", run.cases(), Charts.READ);
            return;
        }

        final double first = run.cases().stream().mapToDouble(ArticleCharts::size).filter((size) -> size > 0).min()
            .orElseThrow();
        final double last = run.cases().stream().mapToDouble(ArticleCharts::size).max().orElseThrow();
        final List<Series> series = new ArrayList<>();
        Cases.by(Cases.having(run.cases(), Charts.READ), STRATEGY, VARIED, BenchmarkCase.JVM_FLAGS)
            .forEach((key, cases) ->
            {
                final List<Point> points = new ArrayList<>();
                cases.forEach((each) -> addTime(points, each, first, last));
                final String name = name(key);
                series.add(Series.measured(name, points));
            });
        // The article read the whole file: for a fraction of it, scale the zooms by the same fraction.
        all.add(charts.lines(
            "time", "Time to read the file" + (run.isScaled() ? ", scaled" : ""),
            new Axis("array or buffer", Scale.BYTES, 1),
            new Axis("s", Scale.LOG, 1, ZOOMS.stream().map((zoom) -> zoom * run.scale()).toList()),
            List.of(new Panel("", series))));
    }

    /**
     * Slow cases read a part of the file: the time of the whole file follows from the rate.
     */
    private static void addTime(
        final List<Point> points, final CaseResult measured, final double first, final double last)
    {
        final double length = measured.parameter("length");
        final Interval rate = Interval.of(measured.numbers(Charts.READ));
        final double size = size(measured);
        for (final double x : 0 == size ? new double[]{ first, last } : new double[]{ size })
        {
            points.add(new Point(x, length / rate.median(), length / rate.high(), length / rate.low()));
        }
    }

    private static String name(final Map<String, String> line)
    {
        final String varied = line.getOrDefault(VARIED, "");
        return DisplayNames.words(STRATEGY, line.get(STRATEGY)) +
            (Set.of("both", "buffer").contains(varied) ? ", " + varied : "") +
            (line.containsKey(BenchmarkCase.JVM_FLAGS) ? ", " + line.get(BenchmarkCase.JVM_FLAGS) : "");
    }

    /**
     * The varied length; 0 if there is none.
     */
    private static double size(final CaseResult measured)
    {
        final Map<String, String> parameters = measured.parameters();
        final String name = "buffer".equals(parameters.get(VARIED)) ? BUFFER : ARRAY;
        return Double.parseDouble(parameters.getOrDefault(name, parameters.getOrDefault(BUFFER, "0")));
    }
}
