package io.journal.bench.run;

import java.util.Locale;

/**
 * Rates and ratios as cells of a table.
 */
public final class Rates
{
    private static final double BYTES_PER_MB = 1e6;

    private Rates()
    {
    }

    /**
     * Bytes a second in megabytes: the median of the rounds, and the extremes.
     */
    public static String megabytes(final Results results, final String label, final String key)
    {
        final Spread rate = results.spread(label, key);
        // Where each record is forced, a megabyte a second is a lot.
        final String format = rate.median() < 10 * BYTES_PER_MB ? "%,.2f [%,.2f..%,.2f]" : "%,.0f [%,.0f..%,.0f]";
        return String.format(
            Locale.ROOT, format, rate.median() / BYTES_PER_MB, rate.min() / BYTES_PER_MB, rate.max() / BYTES_PER_MB);
    }

    /**
     * How many times a baseline's value that of a subject is.
     */
    public static String ratio(final Results results, final String label, final String baseline, final String key)
    {
        final Spread ratio = results.ratio(label, baseline, key);
        return String.format(Locale.ROOT, "%.2f [%.2f..%.2f]", ratio.median(), ratio.min(), ratio.max());
    }

    /**
     * What the numbers of a table are, as its heading.
     */
    public static String heading(final Results results)
    {
        final int rounds = results.roundCount();
        return String.format(
            Locale.ROOT,
            "MB/s, median [min..max] of %d rounds, an interval that holds the true median with %.1f %%",
            rounds, 100 * (1 - Math.pow(2, 1 - rounds)));
    }
}
