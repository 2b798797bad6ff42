package io.journal.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import io.journal.bench.run.Subject;

/**
 * N: time to read the file over the length of the array or buffer, in the article's three zooms; bars where no length
 * is varied.
 */
final class ReadersCharts
{
    private static final String WAY = "way";
    private static final String VARIED = "varied";
    private static final String ARRAY = "arrayLength";
    private static final String BUFFER = "bufferLength";
    private static final double SLOW_S = 10;
    private static final double FAST_S = 1;

    private final ResultFile run;
    private final double first;
    private final double last;

    private ReadersCharts(final ResultFile run)
    {
        this.run = run;
        this.first = run.cases().stream().filter((each) -> size(each) > 0).mapToDouble(ReadersCharts::size).min()
            .orElseThrow();
        this.last = run.cases().stream().mapToDouble(ReadersCharts::size).max().orElseThrow();
    }

    static List<Chart> of(final ResultFile run)
    {
        if (!isOverLengths(run))
        {
            return Charts.bars(run);
        }

        final ReadersCharts charts = new ReadersCharts(run);
        // A line for each way, over its array if it has one; where both are varied see the last chart.
        final List<Measured> main = new ArrayList<>();
        final List<Measured> others = new ArrayList<>();
        Cases.by(run.cases(), WAY).forEach((way, cases) ->
        {
            final boolean hasArray = cases.stream().anyMatch((each) -> "array".equals(each.parameters().get(VARIED)));
            cases.forEach((each) -> (hasArray && !"array".equals(each.parameters().get(VARIED)) ? others : main)
                .add(each));
        });

        final List<Chart> all = new ArrayList<>();
        all.add(charts.chart("full", "Time to read the file", main, 0));
        all.add(charts.chart("10s", "Time to read the file, the lowest 10 seconds", main, SLOW_S));
        all.add(charts.chart("1s", "Time to read the file, the lowest second", main, FAST_S));
        if (!others.isEmpty())
        {
            all.add(charts.chart(
                "buffers", "Buffer varied alone, and together with the array", others, FAST_S));
        }

        return all;
    }

    /**
     * Whether there is an array or a buffer whose length can be varied: lines of a text have none.
     */
    static boolean isOverLengths(final ResultFile run)
    {
        return run.cases().stream().anyMatch((each) -> size(each) > 0);
    }

    private LineChart chart(final String suffix, final String title, final List<Measured> cases, final double seconds)
    {
        final List<LineChart.Series> series = new ArrayList<>();
        for (final Map.Entry<Map<String, String>, List<Measured>> line : Cases.by(cases, WAY, VARIED, Subject.JVM_FLAGS)
            .entrySet())
        {
            series.add(new LineChart.Series(name(line.getKey()), false, true, points(line.getValue())));
        }

        // The article's file was whole: of a share of it, the same share of the time.
        final double largest = seconds * run.scale();
        return new LineChart(
            run.name() + '-' + suffix, title + (run.isScaled() && seconds > 0 ? ", scaled" : ""),
            Charts.subtitle(run, cases), new LineChart.Axis("array or buffer, logarithmic", LineChart.Scale.LOG_BYTES),
            new LineChart.Axis("seconds", LineChart.Scale.LINEAR, new Unit.Display(1, "s"), largest), series);
    }

    private List<LineChart.Point> points(final List<Measured> cases)
    {
        final List<LineChart.Point> points = new ArrayList<>();
        for (final Measured each : cases)
        {
            // Slow cases read a part of the file: from the rate follows the time of the whole.
            final double length = Charts.parameter(each, "length");
            final Interval rate = Interval.of(each.numbers(Charts.READ));
            final LineChart.Point point = new LineChart.Point(
                size(each), length / rate.median(), length / rate.high(), length / rate.low());
            if (0 == point.x())
            {
                points.add(new LineChart.Point(first, point.y()));
                points.add(new LineChart.Point(last, point.y()));
            }
            else
            {
                points.add(point);
            }
        }

        return points;
    }

    private static String name(final Map<String, String> line)
    {
        final String varied = line.getOrDefault(VARIED, "");
        return line.get(WAY) + ("both".equals(varied) ? ", both" : "buffer".equals(varied) ? ", buffer" : "") +
            (line.containsKey(Subject.JVM_FLAGS) ? ", " + line.get(Subject.JVM_FLAGS) : "");
    }

    /**
     * The length that is varied; 0 if none is.
     */
    private static double size(final Measured measured)
    {
        final Map<String, String> parameters = measured.parameters();
        final String name = "buffer".equals(parameters.get(VARIED)) ? BUFFER : ARRAY;
        return Double.parseDouble(parameters.getOrDefault(name, parameters.getOrDefault(BUFFER, "0")));
    }
}
