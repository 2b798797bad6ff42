package io.journal.bench.run;

import java.util.Arrays;

import org.apache.commons.statistics.distribution.BinomialDistribution;

/**
 * A confidence interval of the median, by the sign test: it lies between two of the values as measured, so it assumes
 * nothing about how they are distributed.
 *
 * @param confidence that the true median is between low and high, 0 to 1.
 */
public record Interval(double low, double median, double high, double confidence)
{
    /** That of the extremes of five rounds: with more rounds the interval is narrower, not surer. */
    public static final double WANTED = 0.9375;

    /**
     * @param values one or more, in any order.
     */
    public static Interval of(final double... values)
    {
        return of(WANTED, values);
    }

    /**
     * The narrowest interval with a confidence; that of the extremes where they have less.
     */
    public static Interval of(final double wanted, final double[] values)
    {
        final int n = values.length;
        // How many of n values are below their true median.
        final BinomialDistribution below = BinomialDistribution.of(n, 0.5);
        int cut = 0;
        while (2 * (cut + 1) < n && 1 - 2 * below.cumulativeProbability(cut + 1) >= wanted)
        {
            cut++;
        }
        return between(cut, values, Math.max(0, 1 - 2 * below.cumulativeProbability(cut)));
    }

    /**
     * Ratios of a single value to others of which it may be just one more: those that are left of its ratios to each of
     * them when as many are left out at both ends as keep the wanted confidence. If the one differs from the others by
     * nothing but chance, 1 lies inside as often as the confidence says.
     *
     * @param others one or more, in any order.
     */
    public static Interval ofOne(final double one, final double... others)
    {
        final int n = others.length;
        final int cut = Math.max(0, (int)((n - 1 - WANTED * (n + 1)) / 2));
        final double[] ratios = Arrays.stream(others).map((other) -> one / other).toArray();
        return between(cut, ratios, (n - 1 - 2.0 * cut) / (n + 1));
    }

    private static Interval between(final int cut, final double[] values, final double confidence)
    {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Interval(sorted[cut], Spread.of(sorted).median(), sorted[sorted.length - 1 - cut], confidence);
    }

    /**
     * How often this is the other, where nothing says which rounds belong together. Both medians have to be in their
     * intervals: that is not surer than what remains when each takes away how unsure it is.
     */
    public Interval over(final Interval other)
    {
        return new Interval(
            low / other.high, median / other.median, high / other.low,
            Math.max(0, confidence + other.confidence - 1));
    }

    public boolean contains(final double value)
    {
        return low <= value && value <= high;
    }
}
