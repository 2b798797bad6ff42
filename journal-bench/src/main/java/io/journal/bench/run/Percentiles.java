// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.nio.ByteBuffer;
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

    private Percentiles()
    {
    }

    /** Prints percentiles in microseconds, and the encoded histogram. */
    public static void print(final Histogram latencies)
    {
        for (int i = 0; i < NAMES.length; i++)
        {
            Child.print(NAMES[i], latencies.getValueAtPercentile(LEVELS[i]) / Unit.NS_PER_US);
        }

        final ByteBuffer buffer = ByteBuffer.allocate(latencies.getNeededByteBufferCapacity());
        final byte[] encoded = Arrays.copyOf(buffer.array(), latencies.encodeIntoCompressedByteBuffer(buffer));
        Child.print(HISTOGRAM, Base64.getEncoder().withoutPadding().encodeToString(encoded));
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
