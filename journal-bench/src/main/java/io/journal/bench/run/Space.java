package io.journal.bench.run;

/**
 * Saturating arithmetic for disk space: absurd sizes are refused for lack of space instead of overflowing into one that
 * fits. Nothing is negative.
 */
public final class Space
{
    private Space()
    {
    }

    public static long sum(final long... parts)
    {
        long sum = 0;
        for (final long part : parts)
        {
            sum = part > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + part;
        }

        return sum;
    }

    public static long product(final long one, final long other)
    {
        return 0 != one && other > Long.MAX_VALUE / one ? Long.MAX_VALUE : one * other;
    }
}
