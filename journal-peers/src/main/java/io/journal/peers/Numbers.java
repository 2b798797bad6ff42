package io.journal.peers;

import java.util.Locale;

/**
 * Formats values with two or three significant digits.
 */
final class Numbers
{
    private static final int MILLION = 1_000_000;
    private static final int TEN = 10;
    private static final int HUNDRED = 100;

    private Numbers()
    {
    }

    static String text(final double value)
    {
        if (value >= MILLION)
        {
            return digits(value / MILLION) + " M";
        }
        return digits(value);
    }

    private static String digits(final double value)
    {
        if (value >= HUNDRED || value == Math.rint(value))
        {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        return String.format(Locale.ROOT, value >= TEN ? "%.1f" : "%.2f", value);
    }
}
