// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

/**
 * Text in the lines of a narrow terminal, whatever it goes to.
 */
public final class Terminal
{
    /** No line is longer, unless it is a single word. */
    public static final int COLUMNS = 80;

    private Terminal()
    {
    }

    /** Breaks a line between words. Continuation lines are indented like the beginning of the line. */
    public static String wrap(final int indent, final String line)
    {
        return line.replaceAll(
            "(.{1," + (COLUMNS - indent) + "})(?: +|$)", "$1" + System.lineSeparator() + " ".repeat(indent))
            .stripTrailing();
    }
}
