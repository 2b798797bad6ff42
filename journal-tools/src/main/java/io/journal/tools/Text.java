// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.PrintWriter;
import java.util.Locale;

/**
 * Formats output for people, independent of the locale.
 */
final class Text
{
    // Fits any terminal, and can be quoted in mail without being wrapped.
    private static final int WIDTH = 80;
    private static final int NAME_WIDTH = 12;
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
        // Counts tenths, so that 1.5 MiB is not rounded to 1 or 2.
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

    static String count(final long count, final String noun)
    {
        return number(count) + " " + noun + (1 == count ? "" : "s");
    }

    static String records(final long first, final long last)
    {
        return last < first ? "no record" : first == last ? "record " + number(first) :
            "records " + number(first) + " to " + number(last);
    }

    /**
     * Prints a name and a text, and folds the text.
     */
    static void line(final PrintWriter out, final String name, final String text)
    {
        out.println(folded(String.format("%-" + NAME_WIDTH + "s ", name) + text, NAME_WIDTH + 1));
    }

    /**
     * Breaks a text between words so that it fits a terminal.
     *
     * @param indent of all lines but the first.
     */
    static String folded(final String text, final int indent)
    {
        final StringBuilder lines = new StringBuilder();
        String rest = text;
        while (rest.length() > WIDTH)
        {
            int end = rest.lastIndexOf(' ', WIDTH);
            if (end <= indent)
            {
                // A long word, perhaps a path, stays whole so that it can be copied.
                end = rest.indexOf(' ', WIDTH);
            }
            if (end < 0)
            {
                break;
            }
            lines.append(rest, 0, end).append(System.lineSeparator());
            rest = " ".repeat(indent) + rest.substring(end + 1);
        }
        return lines.append(rest).toString();
    }

    /**
     * Returns untrusted text on one line, without characters that a terminal would interpret.
     */
    static String harmless(final String text)
    {
        final StringBuilder builder = new StringBuilder(text.length());
        text.codePoints().forEach((c) -> builder.appendCodePoint(isObeyed(c) ? '?' : c));
        return builder.toString();
    }

    /**
     * Whether a terminal may interpret a character instead of showing it.
     */
    static boolean isObeyed(final int c)
    {
        final int type = Character.getType(c);
        return Character.isISOControl(c) || Character.FORMAT == type || Character.LINE_SEPARATOR == type ||
            Character.PARAGRAPH_SEPARATOR == type;
    }
}
