package io.journal.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.journal.bench.run.Percentiles;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;

/**
 * Latencies of all rounds together: each further 9 of the percentile takes as much room as the one before.
 */
final class PercentileCharts
{
    private static final String HISTOGRAM = "histogram";
    private static final int TICKS_PER_HALF = 5;
    private static final double NS_PER_US = 1e3;
    private static final int MOST_LINES = 7;

    private PercentileCharts()
    {
    }

    static boolean hasHistogram(final Measured measured)
    {
        return !measured.texts(HISTOGRAM).isEmpty();
    }

    static List<Chart> of(final ResultFile run)
    {
        final List<Measured> all = run.cases().stream().filter(PercentileCharts::hasHistogram).toList();
        final List<Chart> charts = new ArrayList<>();
        if (all.size() > MOST_LINES)
        {
            // A chart for each value of the parameter that splits them best.
            final String split = splitting(all);
            for (final Map.Entry<Map<String, String>, List<Measured>> part : Cases.by(all, split).entrySet())
            {
                charts.add(chart(
                    run, "percentiles-" + part.getKey().getOrDefault(split, "other").toLowerCase(Locale.ROOT),
                    part.getValue()));
            }
        }
        else if (!all.isEmpty())
        {
            charts.add(chart(run, "percentiles", all));
        }

        return charts;
    }

    private static String splitting(final List<Measured> all)
    {
        String best = "backend";
        int most = 0;
        for (final String name : all.get(0).parameters().keySet())
        {
            final int count = Cases.valuesOf(all, name).size();
            if (count > 1 && !"backend".equals(name) && !"way".equals(name) && count > most)
            {
                best = name;
                most = count;
            }
        }

        return best;
    }

    private static LineChart chart(final ResultFile run, final String suffix, final List<Measured> cases)
    {
        final List<String> labels = Cases.labels(cases);
        final List<LineChart.Series> series = new ArrayList<>();
        for (int i = 0; i < cases.size(); i++)
        {
            series.add(new LineChart.Series(
                labels.get(i), false, false, points(Percentiles.merged(cases.get(i).texts(HISTOGRAM)))));
        }

        final double largest = series.stream().flatMap((each) -> each.points().stream())
            .mapToDouble(LineChart.Point::y).max().orElse(1);
        final Unit.Display unit = Unit.MICROSECONDS.display("", Math.sqrt(largest));
        return new LineChart(
            run.name() + '-' + suffix, "Latency, all rounds together", Charts.subtitle(run, cases),
            new LineChart.Axis("percentile", LineChart.Scale.PERCENTILE),
            new LineChart.Axis(unit.name() + ", logarithmic", LineChart.Scale.LOG, unit, 0), series);
    }

    private static List<LineChart.Point> points(final Histogram latencies)
    {
        final List<LineChart.Point> points = new ArrayList<>();
        // What one sample alone says is not drawn beyond the share it is of all.
        final double last = 100 * (1 - 1.0 / Math.max(2, latencies.getTotalCount()));
        for (final HistogramIterationValue value : latencies.percentiles(TICKS_PER_HALF))
        {
            points.add(new LineChart.Point(
                Math.min(last, value.getPercentileLevelIteratedTo()),
                Math.max(1, value.getValueIteratedTo()) / NS_PER_US));
        }

        return points;
    }
}
