package io.journal.bench.run;

import java.util.Arrays;

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
     * Ratios of measurements paired by round: what slows down a whole round cancels out.
     */
    public static Spread ofRatios(final double[] values, final double[] references)
    {
        return of(ratios(values, references));
    }

    public static double[] ratios(final double[] values, final double[] references)
    {
        if (values.length != references.length)
        {
            throw new IllegalArgumentException(
                "unpaired measurements: values=" + values.length + ", references=" + references.length);
        }

        final double[] ratios = new double[values.length];
        for (int i = 0; i < values.length; i++)
        {
            ratios[i] = values[i] / references[i];
        }

        return ratios;
    }

    public static double geometricMean(final double... values)
    {
        double sum = 0;
        for (final double value : values)
        {
            sum += Math.log(value);
        }

        return Math.exp(sum / values.length);
    }
}
