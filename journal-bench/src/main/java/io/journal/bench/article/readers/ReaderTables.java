package io.journal.bench.article.readers;

import java.io.PrintWriter;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

import io.journal.bench.article.Sequential;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;

/**
 * Result tables: each point, the best length of each strategy, and the gain of arrays over single bytes.
 */
record ReaderTables(PrintWriter out, Results results, List<BenchmarkCase> benchmarks)
{
    private static final double BYTES_PER_MB = 1e6;
    private static final double FLAT = 0.9;

    void print()
    {
        out.printf(Locale.ROOT, "%nMB/s, median [min..max] of %d rounds%n", results.roundCount());
        final Table table = new Table("", "MB/s");
        final Map<String, TreeMap<Integer, Double>> series = new LinkedHashMap<>();
        boolean isAnyReduced = false;
        for (final BenchmarkCase each : benchmarks)
        {
            final String label = each.label();
            final Spread rate = results.spread(label, Sequential.READ);
            final boolean isReduced = results.texts(label, ReaderTrial.REDUCED).contains("true");
            isAnyReduced |= isReduced;
            table.row(label, rate.text("%,.1f", BYTES_PER_MB) + (isReduced ? " *" : ""));
            final Point point = Point.of(each.parameters());
            final String flag = each.parameters().get(BenchmarkCase.JVM_FLAGS);
            series.computeIfAbsent(point.series() + (null == flag ? "" : ", " + flag), (key) -> new TreeMap<>())
                .put(point.size(), rate.median());
        }
        table.print(out);
        if (isAnyReduced)
        {
            out.println("* limited by --limit-ms: the rate of the bytes that were read.");
        }
        printSeries(series);
        printGets();
    }

    /** Best length of each series, and the length from which the rate is flat. */
    private void printSeries(final Map<String, TreeMap<Integer, Double>> series)
    {
        out.println();
        final Table table = new Table("fastest first", "MB/s", "at B", "flat from B");
        series.entrySet().stream()
            .sorted(
                Comparator.comparing((each) -> Collections.max(each.getValue().values()), Comparator.reverseOrder()))
            .forEach((each) ->
            {
                final double best = Collections.max(each.getValue().values());
                table.row(
                    each.getKey(), Table.number("%,.1f", best / BYTES_PER_MB), shortest(each.getValue(), best),
                    shortest(each.getValue(), FLAT * best));
            });
        table.print(out);
    }

    private static String shortest(final TreeMap<Integer, Double> rates, final double least)
    {
        return length(rates.keySet().stream().filter((size) -> rates.get(size) >= least).findFirst().orElseThrow());
    }

    /** Ratio of array gets to byte gets from the same buffer. */
    private void printGets()
    {
        final Map<Point, String> labels = new LinkedHashMap<>();
        benchmarks.stream().filter((each) -> !each.parameters().containsKey(BenchmarkCase.JVM_FLAGS))
            .forEach((each) -> labels.put(Point.of(each.parameters()), each.label()));
        labels.forEach((bytes, label) -> labels.keySet().stream()
            .filter((arrays) -> 0 == bytes.arrayLength() && Point.Lengths.FIXED_LENGTH == arrays.arrayLength() &&
                bytes.bufferLength() == arrays.bufferLength() &&
                arrays.strategy().equals(bytes.strategy().replace("_BYTES", "_ARRAY")))
            .findFirst()
            .ifPresent((arrays) -> out.printf(
                Locale.ROOT, "%s: arrays of %d B are %.2f times as fast as single bytes%n", label,
                Point.Lengths.FIXED_LENGTH,
                results.ratio(labels.get(arrays), label, Sequential.READ).median())));
    }

    static String length(final int bytes)
    {
        return 0 == bytes ? "-" : Integer.toString(bytes);
    }
}
