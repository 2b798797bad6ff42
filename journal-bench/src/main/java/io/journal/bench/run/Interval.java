// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.util.Arrays;
import java.util.Locale;

import org.apache.commons.statistics.distribution.BinomialDistribution;

/**
 * Median of repeated measurements with a confidence interval by the sign test, or with the extremes. The bounds are
 * measured values; no distribution is assumed.
 *
 * @param confidence probability that the true median lies between low and high, 0 to 1.
 * @param count      of measurements.
 */
public record Interval(double low, double median, double high, double confidence, int count)
{
    /** The smallest relevant ratio: less does not justify leaving a default, and is not reproducible. */
    public static final double MEANINGFUL = 1.25;
    /** Fewer measurements cannot show which of two configurations is ahead. */
    public static final int MIN_COUNT = 7;
    /** Confidence of the extremes of five rounds: more rounds narrow the interval rather than raise its confidence. */
    static final double WANTED = 0.9375;
    private static final double SIGNIFICANT = 0.975;

    public static Interval of(final double... values)
    {
        return of(WANTED, values);
    }

    /** An interval that can show which of two is ahead, of ratios or of rates. */
    public static Interval strict(final double... values)
    {
        return of(SIGNIFICANT, values);
    }

    public static Interval range(final double... values)
    {
        return of(Double.POSITIVE_INFINITY, values);
    }

    /** The narrowest interval of at least a given confidence; the extremes if even they have less. */
    private static Interval of(final double wanted, final double[] values)
    {
        final int n = values.length;
        if (0 == n)
        {
            throw new IllegalArgumentException("no measurements");
        }
        // Number of n values that are below the true median.
        final BinomialDistribution below = BinomialDistribution.of(n, 0.5);
        int cut = 0;
        while (2 * (cut + 1) < n && 1 - 2 * below.cumulativeProbability(cut + 1) >= wanted)
        {
            cut++;
        }
        final double[] sorted = values.clone();
        Arrays.sort(sorted);
        return new Interval(
            sorted[cut], (sorted[(n - 1) / 2] + sorted[n / 2]) / 2, sorted[n - 1 - cut],
            Math.max(0, 1 - 2 * below.cumulativeProbability(cut)), n);
    }

    /** Significantly better, with a relevant median. */
    public boolean isAhead()
    {
        return isSurelyAhead() && median >= MEANINGFUL;
    }

    /** Significantly better, by any amount. */
    public boolean isSurelyAhead()
    {
        return confidence >= SIGNIFICANT && low > 1;
    }

    /** Significantly better by a relevant amount. */
    public boolean isFarAhead()
    {
        return confidence >= SIGNIFICANT && low >= MEANINGFUL;
    }

    public Interval dividedBy(final double divisor)
    {
        return new Interval(low / divisor, median / divisor, high / divisor, confidence, count);
    }

    /** The median, and the interval in brackets, with the format of a number. */
    public String text(final String format)
    {
        return String.format(Locale.ROOT, format + " [" + format + ".." + format + "]", median, low, high);
    }

    @Override
    public String toString()
    {
        return text("%.2f");
    }
}
