package io.journal.bench.run;

import java.util.Arrays;
import java.util.Locale;
import java.util.stream.IntStream;

/**
 * Median and extremes of repeated measurements.
 */
public record Spread(double min, double median, double max)
{
    public static Spread of(final double... values)
    {
        if (0 == values.length)
        {
            throw new IllegalArgumentException("no measurements");
        }

        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median = 1 == (sorted.length & 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted[0], median, sorted[sorted.length - 1]);
    }

    /**
     * The median, and the extremes in brackets.
     *
     * @param format  of a number.
     * @param divisor from a value to the number shown.
     */
    public String text(final String format, final double divisor)
    {
        return String.format(
            Locale.ROOT, format + " [" + format + ".." + format + "]", median / divisor, min / divisor, max / divisor);
    }

    /** Ratios of measurements that are paired by round. */
    public static double[] ratios(final double[] values, final double[] references)
    {
        if (values.length != references.length)
        {
            throw new IllegalArgumentException(
                "unpaired measurements: values=" + values.length + ", references=" + references.length);
        }

        return IntStream.range(0, values.length).mapToDouble((i) -> values[i] / references[i]).toArray();
    }

    public static double geometricMean(final double... values)
    {
        return Math.exp(Arrays.stream(values).map(Math::log).sum() / values.length);
    }
}
