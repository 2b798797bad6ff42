package io.journal.bench.report;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * P: throughput over the length of the buffer, no buffer where the article drew it: least, mean with sigma, and most,
 * beside the article's three systems.
 */
final class SweepCharts
{
    private static final String BUFFER = "bufferLength";
    private static final String DIRECTION = "direction";

    private SweepCharts()
    {
    }

    static List<Chart> of(final ResultFile run)
    {
        final List<Chart> charts = new ArrayList<>();
        for (final String direction : Cases.valuesOf(run.cases(), DIRECTION))
        {
            final List<Measured> cases = Cases.with(run.cases(), DIRECTION, direction);
            for (final String key : List.of(direction + "BytesPerSecond", Charts.DURABLE))
            {
                if (cases.stream().allMatch((each) -> each.has(key)))
                {
                    charts.add(chart(run, cases, key, "read".equals(direction)));
                }
            }
        }

        return charts;
    }

    private static LineChart chart(
        final ResultFile run, final List<Measured> cases, final String key, final boolean isPublished)
    {
        final List<LineChart.Point> least = new ArrayList<>();
        final List<LineChart.Point> mean = new ArrayList<>();
        final List<LineChart.Point> most = new ArrayList<>();
        for (final Measured each : cases)
        {
            final double x = place(Charts.parameter(each, BUFFER));
            final double[] values = each.numbers(key);
            final double average = Arrays.stream(values).average().orElseThrow();
            final double sigma = sigma(values, average);
            least.add(new LineChart.Point(x, Arrays.stream(values).min().orElseThrow()));
            mean.add(new LineChart.Point(x, average, Math.max(0, average - sigma), average + sigma));
            most.add(new LineChart.Point(x, Arrays.stream(values).max().orElseThrow()));
        }

        final List<LineChart.Series> series = new ArrayList<>(List.of(
            new LineChart.Series("mean, with sigma", false, true, mean),
            new LineChart.Series("least", false, true, least), new LineChart.Series("most", false, true, most)));
        if (isPublished)
        {
            series.addAll(Published.sweep());
        }

        final List<Measured> buffered =
            cases.stream().filter((each) -> !"0".equals(each.parameters().get(BUFFER))).toList();
        return new LineChart(
            run.name() + '-' + Unit.of(key).strip(key),
            Names.title(Names.value(key, run.profile())) + ", over the buffer's length",
            Charts.subtitle(run, buffered),
            new LineChart.Axis("buffer, logarithmic", LineChart.Scale.LOG_BYTES), Charts.rateAxis(), series);
    }

    /**
     * Where a length of a buffer is drawn.
     */
    static double place(final double length)
    {
        return 0 == length ? Ticks.NO_BUFFER : length;
    }

    private static double sigma(final double[] values, final double mean)
    {
        final double squares = Arrays.stream(values).map((value) -> (value - mean) * (value - mean)).sum();
        return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
    }
}
