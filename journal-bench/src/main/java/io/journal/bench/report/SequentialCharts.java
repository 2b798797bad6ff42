package io.journal.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * T: bars for each way, and how the faithful runs went one after the other; over the length of a page if there are
 * several.
 */
final class SequentialCharts
{
    private static final String PAGE = "pageLength";

    private SequentialCharts()
    {
    }

    static List<Chart> of(final ResultFile run)
    {
        final List<Chart> charts = new ArrayList<>();
        final boolean isFaithful = "faithful".equals(run.profile());
        for (final Map.Entry<Map<String, String>, List<Measured>> part : Cases.by(run.cases(), "length", PAGE, "layout")
            .entrySet())
        {
            final String suffix = suffix(run, part.getKey());
            charts.add(Charts.bars(
                run, suffix, "Sequential writing and reading, by way", part.getValue(), keys(run, part.getValue()),
                isFaithful ? Published.sequential(part.getValue(), keys(run, part.getValue())) : List.of()));
            if (isFaithful)
            {
                passes(run, suffix + "-write", "Writing, pass by pass", part.getValue(), Charts.WRITE, charts);
                passes(run, suffix + "-read", "Reading, pass by pass", part.getValue(), Charts.READ, charts);
            }
        }

        if (Cases.valuesOf(run.cases(), PAGE).size() > 2)
        {
            Cases.by(run.cases(), "length", "layout").forEach((key, cases) ->
            {
                for (final String value : keys(run, cases))
                {
                    charts.add(overPages(run, cases, value));
                }
            });
        }

        return charts;
    }

    /**
     * What the page cache takes, what the device has where it was waited for, and what is read.
     */
    private static List<String> keys(final ResultFile run, final List<Measured> cases)
    {
        final List<String> keys = new ArrayList<>(List.of(Charts.WRITE));
        if (!"faithful".equals(run.profile()))
        {
            keys.add(Charts.DURABLE);
        }
        keys.add(Charts.READ);
        keys.add("readAgainBytesPerSecond");
        keys.removeIf((key) -> cases.stream().noneMatch((each) -> each.has(key)));
        return keys;
    }

    private static void passes(
        final ResultFile run,
        final String suffix,
        final String title,
        final List<Measured> cases,
        final String key,
        final List<Chart> charts)
    {
        final List<Measured> several = cases.stream().filter((each) -> each.numbers(key).length > 1).toList();
        final List<String> labels = Cases.labels(several);
        final List<LineChart.Series> series = new ArrayList<>();
        for (int i = 0; i < several.size(); i++)
        {
            series.add(new LineChart.Series(labels.get(i), false, true, Charts.overRounds(several.get(i), key)));
        }
        if (!series.isEmpty())
        {
            charts.add(new LineChart(
                run.name() + '-' + suffix, title, Charts.subtitle(run, cases),
                new LineChart.Axis("pass", LineChart.Scale.LINEAR), Charts.rateAxis(), series));
        }
    }

    private static LineChart overPages(final ResultFile run, final List<Measured> cases, final String key)
    {
        final List<LineChart.Series> series = new ArrayList<>();
        Cases.apartFrom(cases, PAGE).forEach((name, line) -> series.add(new LineChart.Series(
            name, false, true, line.stream().filter((each) -> each.has(key))
                .map((each) -> Charts.point(Charts.parameter(each, PAGE), each.spread(key))).toList())));
        return new LineChart(
            run.name() + '-' + suffix(run, Cases.common(cases)) + "-pages-" + Unit.of(key).strip(key),
            Names.title(Names.value(key, run.profile())) + ", over the length of a page", Charts.subtitle(run, cases),
            new LineChart.Axis("bytes at a time, logarithmic", LineChart.Scale.LOG_BYTES), Charts.rateAxis(), series);
    }

    private static String suffix(final ResultFile run, final Map<String, String> key)
    {
        final StringBuilder suffix = new StringBuilder(key.getOrDefault("length", ""));
        for (final String name : List.of(PAGE, "layout", "sync", "variant"))
        {
            if (key.containsKey(name) && Cases.valuesOf(run.cases(), name).size() > 1)
            {
                suffix.append('-').append(key.get(name).toLowerCase(Locale.ROOT));
            }
        }

        return suffix.toString();
    }
}
