// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.dataformat.csv.CsvMapper;
import com.fasterxml.jackson.dataformat.csv.CsvParser;
import com.fasterxml.jackson.dataformat.csv.CsvSchema;
import io.journal.bench.report.Chart.Point;
import io.journal.bench.report.Chart.Series;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Unit;

/**
 * Results that the articles and their comments published, shown next to those of this machine.
 */
final class PublishedResults
{
    /** Publications and machines; rows of the other tables name them. */
    private static final List<Map<String, String>> SOURCES = rows("sources.csv");

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
            case "sequential" -> sequential(cases, key);
            case "sweep" -> "readBytesPerSecond".equals(key) ? sweep() : Stream.empty();
            default -> Stream.empty();
        };
    }

    /**
     * The rates of the same cases, for one file length and page length, if the cases are those of the article's
     * program.
     */
    private static Stream<Series> sequential(final List<CaseResult> cases, final String key)
    {
        final List<CaseResult> having = CaseResult.having(cases, key);
        final Map<CaseResult, String> labels = CaseResult.labels(having);
        final String variant = cases.get(0).parameter("variant");
        return SOURCES.stream().filter((source) -> !variant.isEmpty() && variant.equals(source.get("variant")))
            .flatMap((source) -> having.stream().flatMap((each) ->
            {
                final double[] rates = nearest(source.get("source"), each).stream()
                    .filter((row) -> row.get("case").equals(each.parameter("way")))
                    .map((row) -> row.getOrDefault(key, "")).filter((rate) -> !rate.isEmpty())
                    .mapToDouble(Double::parseDouble).toArray();
                return 0 == rates.length ? Stream.of() : Stream.of(new Series(
                    labels.get(each), source.get("label"), true, List.of(Point.of(0, Interval.range(rates)))));
            }));
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
    private static Stream<Series> sweep()
    {
        final Map<String, List<Map<String, String>>> systems =
            CaseResult.by(rows("sweep.csv"), (row) -> row.get("source"));
        return SOURCES.stream().filter((source) -> systems.containsKey(source.get("source")))
            .map((source) -> new Series(
                "article: " + source.get("label"), "6 other", true,
                systems.get(source.get("source")).stream().map((row) -> new Point(
                    Double.parseDouble(row.get("bufferKb")) * Unit.KIB, rate(row, "mean"), rate(row, "min"),
                    rate(row, "max"))).toList()));
    }

    private static double rate(final Map<String, String> row, final String name)
    {
        return Double.parseDouble(row.get(name)) * Unit.MB;
    }
}
