package io.journal.bench.run;

/**
 * Bytes that are needed, at most as many as there are numbers for: what is absurd is refused for lack of space, and
 * does not wrap around to something that fits.
 */
public final class Space
{
    private Space()
    {
    }

    /**
     * @param parts none negative.
     */
    public static long sum(final long... parts)
    {
        long sum = 0;
        for (final long part : parts)
        {
            sum = part > Long.MAX_VALUE - sum ? Long.MAX_VALUE : sum + part;
        }

        return sum;
    }

    /**
     * @param one   not negative.
     * @param other not negative.
     */
    public static long product(final long one, final long other)
    {
        return 0 != one && other > Long.MAX_VALUE / one ? Long.MAX_VALUE : one * other;
    }
}
