package io.journal.tools;

import java.time.Instant;
import java.util.Locale;

/**
 * Numbers and times as people read them, the same everywhere.
 */
final class Text
{
    private static final String[] UNITS = { "bytes", "KiB", "MiB", "GiB", "TiB" };

    private Text()
    {
    }

    static String number(final long value)
    {
        return String.format(Locale.ROOT, "%,d", value);
    }

    static String bytes(final long value)
    {
        // In tenths, so that 1.5 MiB is not told as 1 or 2.
        long tenths = value * 10;
        int unit = 0;
        while (tenths >= 10_240 && unit < UNITS.length - 1)
        {
            tenths /= 1024;
            unit++;
        }

        final boolean isFraction = tenths < 100 && 0 != tenths % 10;
        return 0 == unit ? number(value) + " bytes" :
            number(tenths / 10) + (isFraction ? "." + tenths % 10 : "") + " " + UNITS[unit];
    }

    static String time(final long timeMs)
    {
        return Instant.ofEpochMilli(timeMs).toString();
    }

    static String count(final long count, final String noun)
    {
        return number(count) + " " + noun + (1 == count ? "" : "s");
    }

    /**
     * A text of somebody else's, on one line and without what a terminal would obey.
     */
    static String harmless(final String text)
    {
        final StringBuilder builder = new StringBuilder(text.length());
        text.codePoints().forEach((c) -> builder.appendCodePoint(Character.isISOControl(c) ? '?' : c));
        return builder.toString();
    }
}
