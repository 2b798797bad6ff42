package io.journal.bench.report;

import java.util.Arrays;

/**
 * Where the true median of what several rounds came to lies, with some confidence: between two of the rounds, so it
 * needs no assumption on how they are spread.
 *
 * @param confidence that the true median is between low and high, 0 to 1.
 */
record Interval(double low, double median, double high, double confidence)
{
    /** That the extremes of five rounds have: with more rounds the interval is narrower, not surer. */
    static final double WANTED = 0.9375;

    /**
     * @param values one or more, in any order.
     */
    static Interval of(final double... values)
    {
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        final int n = sorted.length;
        // Probability that fewer than k of n values are below the true median, and that fewer are above.
        double outside = 2 * Math.pow(0.5, n);
        double term = Math.pow(0.5, n);
        double confidence = Math.max(0, 1 - outside);
        int cut = 0;
        while (2 * (cut + 1) < n)
        {
            term = term * (n - cut) / (cut + 1);
            outside += 2 * term;
            if (1 - outside < WANTED)
            {
                break;
            }
            cut++;
            confidence = 1 - outside;
        }

        final double median = 1 == n % 2 ? sorted[n / 2] : (sorted[n / 2 - 1] + sorted[n / 2]) / 2;
        return new Interval(sorted[cut], median, sorted[n - 1 - cut], confidence);
    }

    /**
     * Ratios of a single value to others of which it may be just one more: those that are left of its ratios to each of
     * them when as many are left out at both ends as keep the wanted confidence. If the one differs from the others by
     * nothing but chance, 1 lies inside as often as the confidence says.
     *
     * @param others one or more, in any order.
     */
    static Interval ofOne(final double one, final double... others)
    {
        final int n = others.length;
        final double[] ratios = new double[n];
        for (int i = 0; i < n; i++)
        {
            ratios[i] = one / others[i];
        }
        Arrays.sort(ratios);
        final int cut = Math.max(0, (int)((n - 1 - WANTED * (n + 1)) / 2));
        final double median = 1 == n % 2 ? ratios[n / 2] : (ratios[n / 2 - 1] + ratios[n / 2]) / 2;
        return new Interval(ratios[cut], median, ratios[n - 1 - cut], (n - 1 - 2.0 * cut) / (n + 1));
    }

    /**
     * How often this is the other, where nothing says which rounds belong together. Both medians have to be in their
     * intervals: that is not surer than what remains when each takes away how unsure it is.
     */
    Interval over(final Interval other)
    {
        return new Interval(
            low / other.high, median / other.median, high / other.low,
            Math.max(0, confidence + other.confidence - 1));
    }

    boolean contains(final double value)
    {
        return low <= value && value <= high;
    }
}
