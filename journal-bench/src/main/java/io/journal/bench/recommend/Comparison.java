package io.journal.bench.recommend;

import java.util.Arrays;
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
        final double[] sorted = ratios.clone();
        Arrays.sort(sorted);
        final int count = sorted.length;
        final int outside = outside(count);
        return new Comparison(
            sorted[outside], (sorted[(count - 1) / 2] + sorted[count / 2]) / 2, sorted[count - 1 - outside], count);
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

    /**
     * Ratios at each end that the interval leaves out: the most for which as many heads or fewer, or tails, of fair
     * coins are as rare as the error that is allowed.
     */
    private static int outside(final int count)
    {
        double probability = Math.pow(2, 1 - count);
        double sum = probability;
        int outside = 0;
        while (true)
        {
            probability *= (count - outside) / (outside + 1.0);
            sum += probability;
            if (sum > MAX_ERROR)
            {
                return outside;
            }
            outside++;
        }
    }
}
