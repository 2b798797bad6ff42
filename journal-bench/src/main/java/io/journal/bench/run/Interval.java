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

    /**
     * Prediction interval for the ratio of a single value to others: the range of its ratios to each of them, trimmed
     * at both ends as far as the wanted confidence allows. If the value is from the same distribution, the interval
     * contains 1 with that confidence.
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
     * Ratio of two unpaired medians. It is outside the result only if a median is outside its own interval, so the
     * error probabilities add up (Bonferroni).
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
