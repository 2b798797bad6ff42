package io.journal.bench.run;

import java.util.Arrays;

import org.apache.commons.statistics.distribution.BinomialDistribution;

/**
 * Confidence interval of the median by the sign test. Its bounds are measured values; it assumes no distribution.
 *
 * @param confidence probability that the true median lies between low and high, 0 to 1.
 */
public record Interval(double low, double median, double high, double confidence)
{
    /** Confidence of the extremes of five rounds: more rounds narrow the interval rather than raise its confidence. */
    public static final double WANTED = 0.9375;

    public static Interval of(final double... values)
    {
        return of(WANTED, values);
    }

    /** The narrowest interval of at least a given confidence; the extremes if even they have less. */
    public static Interval of(final double wanted, final double[] values)
    {
        final int n = values.length;
        // Number of n values that are below the true median.
        final BinomialDistribution below = BinomialDistribution.of(n, 0.5);
        int cut = 0;
        while (2 * (cut + 1) < n && 1 - 2 * below.cumulativeProbability(cut + 1) >= wanted)
        {
            cut++;
        }
        return between(cut, values, Math.max(0, 1 - 2 * below.cumulativeProbability(cut)));
    }

    private static Interval between(final int cut, final double[] values, final double confidence)
    {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Interval(sorted[cut], Spread.of(sorted).median(), sorted[sorted.length - 1 - cut], confidence);
    }

    public boolean contains(final double value)
    {
        return low <= value && value <= high;
    }
}
