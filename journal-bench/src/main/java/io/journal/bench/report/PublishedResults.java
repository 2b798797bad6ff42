package io.journal.bench.report;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

import com.fasterxml.jackson.databind.MappingIterator;
import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;

import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.run.Spread;

/**
 * Results that the articles and their comments published, shown next to those of this machine.
 */
final class PublishedResults
{
    private static final double KB = 1024;
    private static final double GIB = KB * KB * KB;
    private static final double BYTES_PER_MB = 1e6;
    private static final double MS_PER_S = 1e3;

    private static final Map<String, Map<String, String>> SOURCES = sources();

    private PublishedResults()
    {
    }

    static List<Map<String, String>> rows(final String name)
    {
        try (MappingIterator<Map<String, String>> rows = new CsvMapper().readerForMapOf(String.class)
            .with(CsvSchema.emptySchema().withHeader().withComments())
            .with(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS).readValues(Resources.text("published/" + name)))
        {
            return rows.readAll();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * Publication and machine, by the short name used in rows.
     */
    static Map<String, String> source(final String name)
    {
        return SOURCES.get(name);
    }

    /**
     * Published rates of the same cases, from the article or its comments.
     *
     * @param cases  of one file and page length.
     * @param labels of those that have the rate.
     */
    static List<Series> sequential(final List<CaseResult> cases, final List<String> labels, final String key)
    {
        final List<CaseResult> having = Cases.having(cases, key);
        final List<String> sources = switch (cases.get(0).parameters().getOrDefault("variant", "ARTICLE"))
        {
            case "ARTICLE" -> List.of("T10", "C12", "C20");
            case "ARRAYS" -> List.of("C15");
            case "WRITES" -> List.of("C21");
            case "PAGES" -> List.of("C22");
            default -> List.of();
        };
        final List<Series> series = new ArrayList<>();
        for (final String source : sources)
        {
            final List<Map<String, String>> rows = nearest(source, cases.get(0).parameters());
            for (int i = 0; i < having.size(); i++)
            {
                final String strategy = having.get(i).parameters().get("way");
                final double[] rates = rows.stream().filter((row) -> row.get("case").equals(strategy))
                    .map((row) -> row.getOrDefault(key, "")).filter((text) -> !text.isEmpty())
                    .mapToDouble(Double::parseDouble).toArray();
                if (rates.length > 0)
                {
                    series.add(new Series(
                        labels.get(i), SOURCES.get(source).get("label"), true, List.of(Point.of(0, Spread.of(rates)))));
                }
            }
        }
        return series;
    }

    /**
     * The article's means, of three systems.
     */
    static List<Series> sweep()
    {
        final Map<String, List<Point>> systems = new LinkedHashMap<>();
        for (final Map<String, String> row : rows("sweep.csv"))
        {
            systems.computeIfAbsent(row.get("source"), (key) -> new ArrayList<>()).add(new Point(
                ArticleCharts.place(Double.parseDouble(row.get("bufferKb")) * KB), rate(row, "mean"), rate(row, "min"),
                rate(row, "max")));
        }
        final List<Series> series = new ArrayList<>();
        systems.forEach((source, points) -> series.add(new Series(
            "article: " + SOURCES.get(source).get("label"), "6 other", true, points)));
        return series;
    }

    /**
     * The only published number of the streams and channels benchmark; the rest are images.
     */
    static List<Series> streams()
    {
        final double ms = rows("figures.csv").stream()
            .filter((row) -> "R8".equals(row.get("source")) && "ms".equals(row.get("unit")))
            .mapToDouble((row) -> Double.parseDouble(row.get("value"))).findFirst().orElseThrow();
        return List.of(new Series(
            "published: 1 KiB, hdd_1, API not stated", SOURCES.get("R8").get("label"), true,
            List.of(Point.of(0, GIB * MS_PER_S / ms))));
    }

    private static double rate(final Map<String, String> row, final String name)
    {
        return Double.parseDouble(row.get(name)) * BYTES_PER_MB;
    }

    /**
     * Rows of a source with the same page length and the closest file length.
     */
    private static List<Map<String, String>> nearest(final String source, final Map<String, String> parameters)
    {
        final double length = Double.parseDouble(parameters.getOrDefault("length", "0"));
        final String pageLength = parameters.getOrDefault("pageLength", "4096");
        final List<Map<String, String>> rows = rows("sequential.csv").stream()
            .filter((row) -> row.get("source").equals(source))
            .filter((row) -> row.get("pageLength").isEmpty() || row.get("pageLength").equals(pageLength)).toList();
        // One of the comments does not state its file length.
        final ToDoubleFunction<Map<String, String>> distance =
            (row) -> row.get("length").isEmpty() ? 0 : Math.abs(Double.parseDouble(row.get("length")) - length);
        final double nearest = rows.stream().mapToDouble(distance).min().orElse(0);
        return rows.stream().filter((row) -> distance.applyAsDouble(row) == nearest).toList();
    }

    private static Map<String, Map<String, String>> sources()
    {
        final Map<String, Map<String, String>> sources = new LinkedHashMap<>();
        rows("sources.csv").forEach((row) -> sources.put(row.get("source"), row));
        return sources;
    }
}
