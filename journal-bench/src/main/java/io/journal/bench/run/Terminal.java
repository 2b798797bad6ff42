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
