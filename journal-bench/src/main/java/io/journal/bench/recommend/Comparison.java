package io.journal.bench.recommend;

import io.journal.bench.run.Interval;

import java.util.Locale;

/**
 * How much better one case was than another: ratios, each of one round, as their median and an interval that has the
 * true median inside with a confidence of 97.5 % or more.
 * <p>
 * The interval is that of the sign test: it lies between two of the ratios as measured, and supposes nothing of how
 * they are distributed. Up to nine rounds it spans all of them; of more, a few at each end may lie outside. Of rates
 * instead of ratios it is the interval of the rate.
 *
 * @param low    end of the interval.
 * @param median of the ratios.
 * @param high   end of the interval.
 * @param rounds that were measured.
 */
record Comparison(double low, double median, double high, int rounds)
{
    /** What the better one has to be ahead by: less is not worth leaving the default for, and comes and goes. */
    static final double MEANINGFUL = 1.25;

    /** Fewer rounds have no such interval, and separate nothing. */
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
     * Whether the one is better: surely, and by so much that it matters.
     */
    boolean isAhead()
    {
        return isSurelyAhead() && median >= MEANINGFUL;
    }

    /**
     * Whether the one is surely better, by however little.
     */
    boolean isSurelyAhead()
    {
        return rounds >= MIN_ROUNDS && low > 1;
    }

    /**
     * Whether the one is better by so much that it matters, surely.
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
