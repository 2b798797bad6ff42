// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is printed: lines of a narrow terminal, whatever it goes to, and progress.
 */
public final class Terminal
{
    /** No line is longer. */
    public static final int COLUMNS = 80;

    private Terminal()
    {
    }

    /** Progress on standard error, a line now and then. */
    static final class Progress
    {
        private static final double NS_PER_S = 1e9;
        private static final long PAUSE_NS = TimeUnit.SECONDS.toNanos(10);

        private final boolean isQuiet;
        private final String name;
        private final int rounds;
        private final int cases;
        private final long startNs = System.nanoTime();
        private long printedNs = startNs;
        private int done;

        Progress(final boolean isQuiet, final String name, final int rounds, final int cases)
        {
            this.isQuiet = isQuiet;
            this.name = name;
            this.rounds = rounds;
            this.cases = cases;
        }

        /** The next case begins. The time left comes from the rounds already run; it is not guessed before. */
        void next(final String what)
        {
            final long nowNs = System.nanoTime();
            if (!isQuiet && nowNs - printedNs >= PAUSE_NS)
            {
                printedNs = nowNs;
                final String line = String.format(
                    "%s: round %d of %d, case %d of %d, %s: %s", name, 1 + done / cases, rounds, 1 + done % cases,
                    cases, done < cases ? "time left unknown" : "about " + Unit.duration(
                        (nowNs - startNs) / NS_PER_S / done * ((double)rounds * cases - done)) + " left",
                    what);
                System.err.println(line.substring(0, Math.min(COLUMNS, line.length())));
            }
            done++;
        }
    }

    /** A writer that breaks lines as a terminal does not. */
    public static PrintWriter wrapped(final PrintWriter target)
    {
        return new PrintWriter(new WordWrap(target));
    }

    /**
     * Breaks lines between words where a narrow terminal would break them within a word. What continues a line is
     * indented: below the text of a list or of a named fact, as {@link Machine#line} formats it. Not thread-safe.
     */
    public static final class WordWrap extends Writer
    {
        private static final int LONGEST_INDENT = 16;
        private static final Pattern BEGINNING = Pattern.compile(" *(- )?(\\S+( \\S+)? {2,}(?=\\S))?");

        private final PrintWriter target;
        private final int columns;
        private final StringBuilder line = new StringBuilder();

        public WordWrap(final PrintWriter target)
        {
            this(target, COLUMNS);
        }

        WordWrap(final PrintWriter target, final int columns)
        {
            this.target = target;
            this.columns = columns;
        }

        @Override
        public void write(final char[] text, final int offset, final int length)
        {
            for (int i = offset; i < offset + length; i++)
            {
                line.append(text[i]);
                if ('\n' == text[i])
                {
                    writeLine();
                }
            }
        }

        @Override
        public void flush() throws IOException
        {
            writeLine();
            if (target.checkError())
            {
                throw new IOException("output failed");
            }
        }

        @Override
        public void close()
        {
            target.close();
        }

        private void writeLine()
        {
            final Matcher beginning = BEGINNING.matcher(line);
            final int indent = beginning.lookingAt() && beginning.end() <= LONGEST_INDENT ? beginning.end() : 0;
            final int width = Math.max(1, columns - indent);
            // Unless the rest fits: as much as fits up to the end of a word, or a word that is too long.
            final String brokenOff = "(?!.{0," + width + "} *$)(.{0," + (width - 1) + "}\\S|.*?\\S) +(?=\\S)";
            target.print(line.substring(0, indent));
            target.print(line.substring(indent).replaceAll(
                brokenOff, "$1" + System.lineSeparator() + " ".repeat(indent)));
            line.setLength(0);
        }
    }
}
