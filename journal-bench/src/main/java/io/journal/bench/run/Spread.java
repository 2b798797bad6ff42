package io.journal.bench.run;

import java.util.Arrays;

/**
 * What several measurements of one thing came to: the middle one and the extremes.
 */
public record Spread(double min, double median, double max)
{
    /**
     * @param values at least one, in any order.
     */
    public static Spread of(final double... values)
    {
        if (0 == values.length)
        {
            throw new IllegalArgumentException("nothing was measured");
        }

        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int middle = sorted.length / 2;
        final double median = 1 == (sorted.length & 1) ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
        return new Spread(sorted[0], median, sorted[sorted.length - 1]);
    }

    /**
     * Ratios of measurements that belong together, one by one: what slows down a whole round cancels out.
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
                "not measured together: values=" + values.length + ", references=" + references.length);
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
