// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.run.Interval;

/**
 * Results that the articles and their comments published, shown next to those of this machine.
 */
final class PublishedResults
{
    private static final double KB = 1024;
    private static final double BYTES_PER_MB = 1e6;
    /** Publication and machine, by the short name used in rows. */
    private static final Map<String, Map<String, String>> SOURCES = rows("sources.csv").stream()
        .collect(Collectors.toMap((row) -> row.get("source"), Function.identity()));
    /** Sources of published results for each variant of the article's program. */
    private static final Map<String, List<String>> SOURCES_OF_VARIANT = Map.of(
        "", List.of("T10", "C12", "C20"), "ARTICLE", List.of("T10", "C12", "C20"), "ARRAYS", List.of("C15"), "WRITES",
        List.of("C21"), "PAGES", List.of("C22"));

    private PublishedResults()
    {
    }

    static List<Map<String, String>> rows(final String table)
    {
        return Page.read("published/" + table, (in) -> new CsvMapper().readerForMapOf(String.class)
            .with(CsvSchema.emptySchema().withHeader().withComments())
            .with(CsvParser.Feature.FAIL_ON_MISSING_COLUMNS).<Map<String, String>>readValues(in).readAll());
    }

    /** Published values to draw beside the cases. */
    static Stream<Series> of(final String name, final List<CaseResult> cases, final String key)
    {
        return switch (name)
        {
            case "sequential" -> sequential(cases, key).stream();
            case "sweep" -> "readBytesPerSecond".equals(key) ? sweep().stream() : Stream.empty();
            default -> Stream.empty();
        };
    }

    /** Rates of the same cases, of one file and page length, if they are those of the article's program. */
    private static List<Series> sequential(final List<CaseResult> cases, final String key)
    {
        final List<Series> series = new ArrayList<>();
        if (!cases.get(0).parameters().containsKey("variant"))
        {
            return series;
        }
        final List<CaseResult> having = CaseResult.having(cases, key);
        final Map<CaseResult, String> labels = CaseResult.labels(having);
        for (final String source : SOURCES_OF_VARIANT.getOrDefault(cases.get(0).parameter("variant"), List.of()))
        {
            final List<Map<String, String>> rows = nearest(source, cases.get(0));
            for (final CaseResult each : having)
            {
                final double[] rates = rows.stream().filter((row) -> row.get("case").equals(each.parameter("way")))
                    .map((row) -> row.getOrDefault(key, "")).filter((rate) -> !rate.isEmpty())
                    .mapToDouble(Double::parseDouble).toArray();
                if (rates.length > 0)
                {
                    series.add(new Series(
                        labels.get(each), SOURCES.get(source).get("label"), true,
                        List.of(Point.of(0, Interval.range(rates)))));
                }
            }
        }
        return series;
    }

    /** Rows of a source with the same page length and the closest file length. */
    private static List<Map<String, String>> nearest(final String source, final CaseResult measured)
    {
        final String pageLength = measured.parameters().getOrDefault("pageLength", "4096");
        return rows("sequential.csv").stream().filter((row) -> row.get("source").equals(source))
            .filter((row) -> row.get("pageLength").isEmpty() || row.get("pageLength").equals(pageLength))
            // One of the comments does not state its file length.
            .collect(Collectors.groupingBy((row) -> row.get("length").isEmpty() ? 0 :
                Math.abs(Double.parseDouble(row.get("length")) - measured.number("length")), TreeMap::new,
                Collectors.toList()))
            .values().stream().findFirst().orElse(List.of());
    }

    /** The article's means, of three systems. */
    private static List<Series> sweep()
    {
        return rows("sweep.csv").stream()
            .collect(Collectors.groupingBy((row) -> row.get("source"), TreeMap::new, Collectors.toList()))
            .entrySet().stream().map((system) -> new Series(
                "article: " + SOURCES.get(system.getKey()).get("label"), "6 other", true,
                system.getValue().stream().map((row) -> new Point(
                    Double.parseDouble(row.get("bufferKb")) * KB, rate(row, "mean"), rate(row, "min"),
                    rate(row, "max"))).toList()))
            .toList();
    }

    private static double rate(final Map<String, String> row, final String name)
    {
        return Double.parseDouble(row.get(name)) * BYTES_PER_MB;
    }
}
