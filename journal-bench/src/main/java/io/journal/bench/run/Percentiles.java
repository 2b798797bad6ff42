package io.journal.bench.run;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.zip.DataFormatException;

import org.HdrHistogram.Histogram;

/**
 * Latency percentiles as a child prints them and as a row of a table. Recorded in nanoseconds.
 */
public final class Percentiles
{
    public static final String HISTOGRAM = "histogram";

    private static final String[] NAMES = { "p50Us", "p90Us", "p99Us", "p999Us", "p9999Us", "maxUs" };
    private static final double[] LEVELS = { 50, 90, 99, 99.9, 99.99, 100 };
    private static final double NS_PER_US = 1e3;

    private Percentiles()
    {
    }

    /** A row per case: percentiles over all rounds. */
    public static Table table(final String title, final Results results, final List<BenchmarkCase> benchmarks)
    {
        final Table table = new Table(title, "samples", "p50", "p90", "p99", "p99.9", "p99.99", "max");
        for (final BenchmarkCase benchmark : benchmarks)
        {
            final Histogram all = merged(results.texts(benchmark.label(), HISTOGRAM));
            final List<String> cells = new ArrayList<>(List.of(Table.number("%,.0f", all.getTotalCount())));
            for (final double level : LEVELS)
            {
                cells.add(Table.number("%,.1f", all.getValueAtPercentile(level) / NS_PER_US));
            }
            table.row(benchmark.label(), cells.toArray(String[]::new));
        }
        return table;
    }

    /** Prints percentiles in microseconds, and the encoded histogram. */
    public static void print(final Histogram latencies)
    {
        for (int i = 0; i < NAMES.length; i++)
        {
            Child.print(NAMES[i], latencies.getValueAtPercentile(LEVELS[i]) / NS_PER_US);
        }

        final ByteBuffer buffer = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        final byte[] encoded = Arrays.copyOf(buffer.array(), latencies.encodeIntoCompressedByteBuffer(buffer));
        Child.print(HISTOGRAM, Base64.getEncoder().withoutPadding().encodeToString(encoded));
    }

    public static List<Histogram> histograms(final Results results, final String label)
    {
        return results.texts(label, HISTOGRAM).stream().map(Percentiles::decode).toList();
    }

    /** Merges histograms that {@link #print} encoded. */
    public static Histogram merged(final List<String> encoded)
    {
        final Histogram all = new Histogram(3);
        encoded.forEach((text) -> all.add(decode(text)));
        return all;
    }

    private static Histogram decode(final String text)
    {
        try
        {
            return Histogram.decodeFromCompressedByteBuffer(ByteBuffer.wrap(Base64.getDecoder().decode(text)), 0);
        }
        catch (final DataFormatException ex)
        {
            throw new IllegalStateException("not an encoded histogram", ex);
        }
    }
}
