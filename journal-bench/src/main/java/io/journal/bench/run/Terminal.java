package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
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

    static boolean is(final int descriptor)
    {
        try
        {
            final String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        }
        catch (final IOException | RuntimeException ex)
        {
            return null != System.console();
        }
    }

    /** Progress on standard error: one line that is overwritten on a terminal, a line per round elsewhere. */
    static final class Progress implements AutoCloseable
    {
        private static final double NS_PER_S = 1e9;

        private final boolean isShown;
        private final boolean isDrawn;
        private final String name;
        private final int rounds;
        private final int cases;
        private final long startNs = System.nanoTime();
        private int done;

        Progress(final boolean isQuiet, final String name, final int rounds, final int cases)
        {
            isShown = !isQuiet;
            isDrawn = isShown && is(2);
            this.name = name;
            this.rounds = rounds;
            this.cases = cases;
        }

        /** The next case begins. */
        void next(final String what)
        {
            if (isDrawn)
            {
                final String line = String.format(
                    "%s: round %d of %d, case %d of %d, %s: %s", name, 1 + done / cases, rounds, 1 + done % cases,
                    cases, left(), what);
                System.err.print('\r' + String.format("%-" + (COLUMNS - 1) + "." + (COLUMNS - 1) + "s", line));
                System.err.flush();
            }
            done++;
        }

        void round()
        {
            if (isShown && !isDrawn)
            {
                System.err.printf("%s: round %d of %d done, %s%n", name, done / cases, rounds, left());
            }
        }

        /** From the rounds already run; not guessed before. */
        private String left()
        {
            final double elapsed = (System.nanoTime() - startNs) / NS_PER_S;
            return done < cases ? "time left unknown" :
                "about " + Unit.duration(elapsed / done * ((double)rounds * cases - done)) + " left";
        }

        @Override
        public void close()
        {
            if (isDrawn)
            {
                System.err.print('\r' + " ".repeat(COLUMNS - 1) + '\r');
                System.err.flush();
            }
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
