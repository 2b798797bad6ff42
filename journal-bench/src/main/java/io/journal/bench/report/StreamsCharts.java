package io.journal.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.journal.bench.run.Spread;

/**
 * R: the charts of the original under its names, direct against indirect buffers, run by run, and all ways.
 */
final class StreamsCharts
{
    private static final String WAY = "way";
    private static final String BUFFER = "bufferLength";
    private static final String GRANULARITY = "granularity";
    private static final Map<String, String> WRITING = inOrder(
        "DirectGen", "direct buffer", "IndirectGen", "indirect buffer", "StreamsGen", "streams", "MmapGen", "mapped");
    private static final Map<String, String> READING = inOrder(
        "DirectIn", "direct buffer", "IndirectIn", "indirect buffer", "StreamsIn", "streams", "MmapIn", "mapped");
    private static final int BUFFERS_ALONE = 2;

    private final ResultFile run;
    private final List<Measured> cases;
    private final String suffix;
    private final List<Chart> charts = new ArrayList<>();

    private StreamsCharts(final ResultFile run, final List<Measured> cases, final String suffix)
    {
        this.run = run;
        this.cases = cases;
        this.suffix = suffix;
    }

    static List<Chart> of(final ResultFile run)
    {
        final List<Chart> charts = new ArrayList<>();
        final Map<Map<String, String>, List<Measured>> parts = Cases.by(run.cases(), GRANULARITY);
        parts.forEach((key, cases) -> charts.addAll(new StreamsCharts(
            run, cases, 1 == parts.size() ? "" : '-' + key.getOrDefault(GRANULARITY, "").toLowerCase(Locale.ROOT))
            .draw()));
        return charts;
    }

    private List<Chart> draw()
    {
        final String writeKey = "durable".equals(run.profile()) ? Charts.DURABLE : Charts.WRITE;
        bars("bb_write", "Writing: direct or indirect buffer", BUFFERS_ALONE, Map.of(writeKey, WRITING));
        bars("bb_read", "Reading: direct or indirect buffer", BUFFERS_ALONE, Map.of(Charts.READ, READING));
        final Map<String, Map<String, String>> both = new LinkedHashMap<>();
        both.put(writeKey, WRITING);
        both.put(Charts.READ, READING);
        bars("bb_read_write", "Writing and reading: direct or indirect buffer", BUFFERS_ALONE, both);
        runs("w", "Writing, run by run", writeKey, WRITING);
        runs("r", "Reading, run by run", Charts.READ, READING);
        bars("all_w", "Writing, all ways", WRITING.size(), Map.of(writeKey, WRITING));
        bars("all_r", "Reading, all ways", READING.size(), Map.of(Charts.READ, READING));
        return charts;
    }

    /**
     * Bars of the first few ways, for each length of the buffer.
     */
    private void bars(
        final String name, final String title, final int count, final Map<String, Map<String, String>> ways)
    {
        final List<String> groups = new ArrayList<>();
        final List<List<Spread>> values = new ArrayList<>();
        final List<String> names = new ArrayList<>(WRITING.values()).subList(0, count);
        names.forEach((each) -> values.add(new ArrayList<>()));
        for (final String buffer : Cases.valuesOf(cases, BUFFER))
        {
            ways.forEach((key, titles) ->
            {
                final List<Measured> ofBuffer = Cases.with(cases, BUFFER, buffer).stream()
                    .filter((each) -> each.has(key)).toList();
                final List<String> own = new ArrayList<>(titles.keySet()).subList(0, count);
                if (ofBuffer.stream().anyMatch((each) -> own.contains(each.parameters().get(WAY))))
                {
                    groups.add(Names.words(BUFFER, buffer) + ", " + Names.value(key, run.profile()));
                    for (int i = 0; i < own.size(); i++)
                    {
                        values.get(i).add(Cases.with(ofBuffer, WAY, own.get(i)).stream().findFirst()
                            .map((each) -> each.spread(key)).orElse(null));
                    }
                }
            });
        }

        if (!groups.isEmpty())
        {
            final List<BarChart.Series> series = new ArrayList<>();
            for (int i = 0; i < names.size(); i++)
            {
                series.add(new BarChart.Series(names.get(i), false, values.get(i)));
            }
            charts.add(new BarChart(
                run.name() + suffix + '-' + name, title, Charts.subtitle(run, cases), new Unit.Display(1e6, "MB/s"),
                groups, series));
        }
    }

    private void runs(final String name, final String title, final String key, final Map<String, String> titles)
    {
        for (final String buffer : Cases.valuesOf(cases, BUFFER))
        {
            final List<Measured> ofBuffer = Cases.with(cases, BUFFER, buffer);
            final List<LineChart.Series> series = new ArrayList<>();
            titles.forEach((way, words) -> Cases.with(ofBuffer, WAY, way).stream()
                .filter((each) -> each.numbers(key).length > 1)
                .forEach((each) -> series.add(new LineChart.Series(words, false, true, Charts.overRounds(each, key)))));
            if (!series.isEmpty())
            {
                charts.add(new LineChart(
                    run.name() + suffix + '-' + name + '_' + Names.bytes(buffer).replace(" KiB", "k").replace(" ", ""),
                    title, Charts.subtitle(run, ofBuffer), new LineChart.Axis("run", LineChart.Scale.LINEAR),
                    Charts.rateAxis(), series));
            }
        }
    }

    private static Map<String, String> inOrder(final String... waysAndTitles)
    {
        final Map<String, String> map = new LinkedHashMap<>();
        for (int i = 0; i < waysAndTitles.length; i += 2)
        {
            map.put(waysAndTitles[i], waysAndTitles[i + 1]);
        }

        return map;
    }
}
