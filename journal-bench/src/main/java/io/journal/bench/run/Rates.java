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
     * A rate in MB/s: median and extremes of the rounds.
     */
    public static String megabytes(final Results results, final String label, final String key)
    {
        final Spread rate = results.spread(label, key);
        // More digits for the low rates of one fsync per record.
        final String format = rate.median() < 10 * BYTES_PER_MB ? "%,.2f [%,.2f..%,.2f]" : "%,.0f [%,.0f..%,.0f]";
        return String.format(
            Locale.ROOT, format, rate.median() / BYTES_PER_MB, rate.min() / BYTES_PER_MB, rate.max() / BYTES_PER_MB);
    }

    public static String number(final String format, final double value)
    {
        return String.format(Locale.ROOT, format, value);
    }

    public static String ratio(final Results results, final String label, final String baseline, final String key)
    {
        final Spread ratio = results.ratio(label, baseline, key);
        return String.format(Locale.ROOT, "%.2f [%.2f..%.2f]", ratio.median(), ratio.min(), ratio.max());
    }

    public static String heading(final Results results)
    {
        final int rounds = results.roundCount();
        return String.format(
            Locale.ROOT,
            "MB/s, median [min..max] of %d rounds, a %.1f %% confidence interval of the median",
            rounds, 100 * (1 - Math.pow(2, 1 - rounds)));
    }
}
