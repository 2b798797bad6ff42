package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The terminal, if output goes to one.
 */
final class Terminal
{
    private Terminal()
    {
    }

    /**
     * Width without the last column, after which some terminals wrap. Without native code, which newer JDKs warn about.
     */
    static int columns()
    {
        return new UsageMessageSpec().autoWidth(true).width() - 1;
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
    static final class WordWrap extends Writer
    {
        private static final int LONGEST_INDENT = 16;
        private static final Pattern BEGINNING = Pattern.compile(" *(- )?(\\S+( \\S+)? {2,}(?=\\S))?");

        private final PrintWriter target;
        private final int columns;
        private final StringBuilder line = new StringBuilder();

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
            final int length = line.toString().stripTrailing().length();
            final Matcher beginning = BEGINNING.matcher(line);
            final int indent = beginning.lookingAt() && beginning.end() <= LONGEST_INDENT ? beginning.end() : 0;
            int from = 0;
            int used = 0;
            while (length - from > columns - used)
            {
                // So that the next line begins with a word; a word that is too long fills a line.
                int space = line.lastIndexOf(" ", from + columns - used);
                if (line.substring(from, Math.max(from, space)).isBlank())
                {
                    space = line.indexOf(" ", from + columns - used);
                }
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
    }
}
