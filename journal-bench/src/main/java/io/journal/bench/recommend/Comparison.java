package io.journal.bench.recommend;

import io.journal.bench.run.Interval;

import java.util.Locale;

/**
 * Ratio of two configurations, paired by round: the median, and its confidence interval of 97.5 % or more.
 * <p>
 * The interval is that of the sign test, which assumes no distribution. Up to nine rounds it spans all ratios; with
 * more rounds it drops some at each end. Also used for rates instead of ratios.
 *
 * @param low    end of the interval.
 * @param median of the ratios.
 * @param high   end of the interval.
 * @param rounds that were measured.
 */
record Comparison(double low, double median, double high, int rounds)
{
    /** The smallest relevant ratio: less does not justify leaving the default, and is not reproducible. */
    static final double MEANINGFUL = 1.25;

    /** Fewer rounds cannot reach that confidence. */
    static final int MIN_ROUNDS = 7;

    private static final double MAX_ERROR = 0.025;

    /**
     * @param ratios at least one, in any order.
     */
    static Comparison of(final double... ratios)
    {
        final Interval interval = Interval.of(1 - MAX_ERROR, ratios);
        return new Comparison(interval.low(), interval.median(), interval.high(), ratios.length);
    }

    /**
     * Significantly better, with a relevant median.
     */
    boolean isAhead()
    {
        return isSurelyAhead() && median >= MEANINGFUL;
    }

    /**
     * Significantly better, by any amount.
     */
    boolean isSurelyAhead()
    {
        return rounds >= MIN_ROUNDS && low > 1;
    }

    /**
     * Significantly better by a relevant amount.
     */
    boolean isFarAhead()
    {
        return rounds >= MIN_ROUNDS && low >= MEANINGFUL;
    }

    @Override
    public String toString()
    {
        return String.format(Locale.ROOT, "%.2f [%.2f..%.2f]", median, low, high);
    }
}
