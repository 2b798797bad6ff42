package io.journal.bench.article.readers;

import java.io.PrintWriter;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;

/**
 * Result tables: each point, the best length of each strategy, and the gain of arrays over single bytes.
 */
final class ReaderTables
{
    private static final double BYTES_PER_MB = 1e6;
    private static final double FLAT = 0.9;

    private final PrintWriter out;
    private final Results results;
    private final Map<BenchmarkCase, Point> benchmarks;

    ReaderTables(final PrintWriter out, final Results results, final Map<BenchmarkCase, Point> benchmarks)
    {
        this.out = out;
        this.results = results;
        this.benchmarks = benchmarks;
    }

    void print()
    {
        out.printf(Locale.ROOT, "%nMB/s, median [min..max] of %d rounds%n", results.roundCount());
        final Table table = new Table("", "MB/s");
        final Map<String, Map<Integer, Double>> series = new LinkedHashMap<>();
        benchmarks.forEach((benchmark, point) ->
        {
            final String label = benchmark.label();
            final Spread rate = results.spread(label, ReaderTrial.READ);
            final boolean isReduced = results.texts(label, ReaderTrial.REDUCED).contains("true");
            table.row(
                label, String.format(
                    Locale.ROOT, "%,.1f [%,.1f..%,.1f]%s", rate.median() / BYTES_PER_MB, rate.min() / BYTES_PER_MB,
                    rate.max() / BYTES_PER_MB, isReduced ? " *" : ""));
            final String flag = benchmark.parameters().get("jvmFlags");
            series.computeIfAbsent(
                point.series() + (null == flag ? "" : ", " + flag),
                (key) -> new LinkedHashMap<>()).put(point.size(), rate.median());
        });
        table.print(out);
        if (benchmarks.keySet().stream().anyMatch(
            (benchmark) -> results.texts(benchmark.label(), ReaderTrial.REDUCED).contains("true")))
        {
            out.println("* limited by --limit-ms: the rate of the bytes that were read.");
        }
        printSeries(series);
        printGets();
    }

    /**
     * Best length of each series, and the length from which the rate is flat.
     */
    private void printSeries(final Map<String, Map<Integer, Double>> series)
    {
        out.println();
        final Table table = new Table("fastest first", "MB/s", "at B", "flat from B");
        series.entrySet().stream().sorted((a, b) -> Double.compare(best(b.getValue()), best(a.getValue()))).forEach(
            (each) ->
            {
                final double best = best(each.getValue());
                final int at = each.getValue().entrySet().stream().filter((size) -> size.getValue() == best)
                    .findFirst().orElseThrow().getKey();
                final int flat = each.getValue().entrySet().stream().filter((size) -> size.getValue() >= FLAT * best)
                    .mapToInt(Map.Entry::getKey).min().orElseThrow();
                table.row(each.getKey(), Table.number("%,.1f", best / BYTES_PER_MB), length(at), length(flat));
            });
        table.print(out);
    }

    /**
     * Ratio of array gets to byte gets from the same buffer.
     */
    private void printGets()
    {
        final Map<String, String> labelsOfArrays = new LinkedHashMap<>();
        benchmarks.forEach((benchmark, point) ->
        {
            if (!benchmark.parameters().containsKey("jvmFlags") && Point.Lengths.FIXED_LENGTH == point.arrayLength())
            {
                labelsOfArrays.putIfAbsent(point.strategy() + point.bufferLength(), benchmark.label());
            }
        });
        benchmarks.forEach((benchmark, point) ->
        {
            final String arrays =
                labelsOfArrays.get(point.strategy().replace("_BYTES", "_ARRAY") + point.bufferLength());
            if (!benchmark.parameters().containsKey("jvmFlags") && 0 == point.arrayLength() && null != arrays)
            {
                out.printf(
                    Locale.ROOT, "%s: arrays of %d B are %.2f times as fast as single bytes%n", point.label(),
                    Point.Lengths.FIXED_LENGTH, results.ratio(arrays, benchmark.label(), ReaderTrial.READ).median());
            }
        });
    }

    private static double best(final Map<Integer, Double> rates)
    {
        return rates.values().stream().mapToDouble(Double::doubleValue).max().orElseThrow();
    }

    private static String length(final int bytes)
    {
        return 0 == bytes ? "-" : Integer.toString(bytes);
    }
}
