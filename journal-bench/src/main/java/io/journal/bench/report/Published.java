package io.journal.bench.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.journal.bench.run.Spread;

/**
 * What the articles and their comments published: numbers of their machines, shown beside those of this one.
 */
final class Published
{
    private static final double KB = 1024;
    private static final double BYTES_PER_MB = 1e6;

    private static final Map<String, Map<String, String>> SOURCES = sources();

    private Published()
    {
    }

    /**
     * Rows of a table, each by the names of its columns.
     */
    static List<Map<String, String>> rows(final String name)
    {
        final List<Map<String, String>> rows = new ArrayList<>();
        List<String> names = null;
        for (final String line : text(name).lines().filter((each) -> !each.startsWith("#")).toList())
        {
            final List<String> cells = cells(line);
            if (null == names)
            {
                names = cells;
                continue;
            }
            if (names.size() != cells.size())
            {
                throw new IllegalStateException("wrong number of cells: table=" + name + ", line=" + line);
            }

            final Map<String, String> row = new LinkedHashMap<>();
            for (int i = 0; i < names.size(); i++)
            {
                row.put(names.get(i), cells.get(i));
            }
            rows.add(row);
        }

        return rows;
    }

    /**
     * Who published what and of which machine, by the short name that rows have.
     */
    static Map<String, String> source(final String name)
    {
        return SOURCES.get(name);
    }

    /**
     * Rates of the same cases in the article, or in the comment that brought them up.
     *
     * @param cases of one length of the file and of a page.
     */
    static List<BarChart.Series> sequential(final List<Measured> cases, final List<String> keys)
    {
        final String source = switch (cases.get(0).parameters().getOrDefault("variant", "ARTICLE"))
        {
            case "ARTICLE" -> "T10";
            case "ARRAYS" -> "C15";
            case "WRITES" -> "C21";
            case "PAGES" -> "C22";
            default -> "";
        };
        final List<Map<String, String>> rows = nearest(source, cases.get(0).parameters());
        final List<BarChart.Series> series = new ArrayList<>();
        for (final String key : keys)
        {
            final List<Spread> values = new ArrayList<>();
            for (final Measured each : cases)
            {
                final double[] rates = rows.stream()
                    .filter((row) -> row.get("case").equals(each.parameters().get("way")))
                    .filter((row) -> !row.getOrDefault(key, "").isEmpty())
                    .mapToDouble((row) -> Double.parseDouble(row.get(key))).toArray();
                values.add(0 == rates.length ? null : Spread.of(rates));
            }
            if (values.stream().anyMatch((value) -> null != value))
            {
                series.add(new BarChart.Series(
                    SOURCES.get(source).get("label") + ", its machine: " + Unit.of(key).strip(key), true, values));
            }
        }

        return series;
    }

    /**
     * The article's means, of three systems.
     */
    static List<LineChart.Series> sweep()
    {
        final Map<String, List<LineChart.Point>> systems = new LinkedHashMap<>();
        for (final Map<String, String> row : rows("sweep.csv"))
        {
            systems.computeIfAbsent(row.get("source"), (key) -> new ArrayList<>()).add(new LineChart.Point(
                SweepCharts.place(Double.parseDouble(row.get("bufferKb")) * KB),
                Double.parseDouble(row.get("mean")) * BYTES_PER_MB));
        }

        final List<LineChart.Series> series = new ArrayList<>();
        systems.forEach((source, points) -> series.add(new LineChart.Series(
            "article: " + SOURCES.get(source).get("label"), true, true, points)));
        return series;
    }

    /**
     * Rows of a source with the same page, of the file whose length comes closest.
     */
    private static List<Map<String, String>> nearest(final String source, final Map<String, String> parameters)
    {
        final double length = Double.parseDouble(parameters.getOrDefault("length", "0"));
        final String pageLength = parameters.getOrDefault("pageLength", "4096");
        final List<Map<String, String>> rows = rows("sequential.csv").stream()
            .filter((row) -> row.get("source").equals(source))
            .filter((row) -> row.get("pageLength").isEmpty() || row.get("pageLength").equals(pageLength)).toList();
        final double nearest = rows.stream().mapToDouble((row) -> Double.parseDouble(row.get("length")))
            .boxed().min((a, b) -> Double.compare(Math.abs(a - length), Math.abs(b - length))).orElse(0.0);
        return rows.stream().filter((row) -> Double.parseDouble(row.get("length")) == nearest).toList();
    }

    private static Map<String, Map<String, String>> sources()
    {
        final Map<String, Map<String, String>> sources = new LinkedHashMap<>();
        rows("sources.csv").forEach((row) -> sources.put(row.get("source"), row));
        return sources;
    }

    private static String text(final String name)
    {
        try
        {
            return Resources.text("published/" + name);
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<String> cells(final String line)
    {
        final List<String> cells = new ArrayList<>();
        final StringBuilder cell = new StringBuilder();
        boolean isQuoted = false;
        for (final char c : line.toCharArray())
        {
            if ('"' == c)
            {
                isQuoted = !isQuoted;
            }
            else if (',' == c && !isQuoted)
            {
                cells.add(cell.toString());
                cell.setLength(0);
            }
            else
            {
                cell.append(c);
            }
        }
        cells.add(cell.toString());
        return cells;
    }
}
