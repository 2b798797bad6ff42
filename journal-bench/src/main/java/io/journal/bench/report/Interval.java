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
