package io.journal.bench.run;

import java.io.File;
import java.io.FilterWriter;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The terminal, if output goes to one.
 */
final class Terminal
{
    private static final int DEFAULT_COLUMNS = 79;

    private Terminal()
    {
    }

    /** Width of standard output; unlimited for a file or a pipe. */
    static int columnsOfOutput()
    {
        return is(1) ? columns() : Integer.MAX_VALUE;
    }

    /**
     * Width without the last column, after which some terminals wrap. Without native code, which newer JDKs warn about.
     */
    static int columns()
    {
        try
        {
            final Process stty = new ProcessBuilder("stty", "size")
                .redirectInput(new File("/dev/tty")).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            final String size = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
            final int columns = Integer.parseInt(size.substring(size.indexOf(' ') + 1));
            return columns > 1 ? columns - 1 : DEFAULT_COLUMNS;
        }
        catch (final IOException | NumberFormatException ex)
        {
            return DEFAULT_COLUMNS;
        }
    }

    /** Output whose lines fit a terminal; unchanged for a file or a pipe. */
    static PrintWriter wrapping(final PrintWriter out)
    {
        return is(1) ? new PrintWriter(new WordWrap(out, columns())) : out;
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

    /**
     * Breaks lines between words where a terminal would break them within a word. What continues a line is indented:
     * below the text of a list or of a named fact, as {@link Machine#line} formats it. Not thread-safe.
     */
    static final class WordWrap extends FilterWriter
    {
        private static final int LONGEST_INDENT = 16;
        private static final Pattern BEGINNING = Pattern.compile(" *(- )?(\\S+( \\S+)? {2,}(?=\\S))?");

        private final PrintWriter target;
        private final int columns;
        private final StringBuilder line = new StringBuilder();

        WordWrap(final PrintWriter target, final int columns)
        {
            super(target);
            this.target = target;
            this.columns = columns;
        }

        @Override
        public void write(final char[] text, final int offset, final int length)
        {
            write(new String(text, offset, length), 0, length);
        }

        @Override
        public void write(final String text, final int offset, final int length)
        {
            text.substring(offset, offset + length).chars().forEach(this::write);
        }

        @Override
        public void write(final int character)
        {
            line.append((char)character);
            if ('\n' == character)
            {
                writeLine();
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

        private void writeLine()
        {
            final int length = line.toString().stripTrailing().length();
            final int indent = length > columns ? indent() : 0;
            int from = 0;
            int used = 0;
            while (length - from > columns - used)
            {
                final int space = lastSpace(from, from + columns - used);
                if (space < 0)
                {
                    break;
                }
                target.println(line.substring(from, space).stripTrailing());
                target.print(" ".repeat(indent));
                from = space + 1;
                used = indent;
            }
            target.print(line.substring(from));
            line.setLength(0);
        }

        private int indent()
        {
            final Matcher beginning = BEGINNING.matcher(line);
            return beginning.lookingAt() && beginning.end() <= LONGEST_INDENT ? beginning.end() : 0;
        }

        /** Where a line may end so that the next one begins with a word: negative if a word fills it. */
        private int lastSpace(final int from, final int to)
        {
            int space = line.lastIndexOf(" ", to);
            if (line.substring(from, Math.max(from, space)).isBlank())
            {
                space = line.indexOf(" ", to);
            }
            return space;
        }
    }
}
