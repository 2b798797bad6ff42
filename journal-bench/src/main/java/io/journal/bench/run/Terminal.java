package io.journal.bench.run;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Model.UsageMessageSpec;

/**
 * The terminal, if output goes to one.
 */
public final class Terminal
{
    private static final int UPDATE_MS = 250;

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
     * Progress on standard error: a bar on a terminal, a line per round elsewhere.
     *
     * @param bar none if quiet, or not on a terminal.
     */
    public record Progress(boolean isQuiet, Optional<ProgressBar> bar) implements AutoCloseable
    {
        public static Progress of(final boolean isQuiet, final String name, final int steps)
        {
            if (isQuiet || !is(2))
            {
                return new Progress(isQuiet, Optional.empty());
            }

            // Not the default consumer: it determines the terminal's width through native code, which newer JDKs warn
            // about. The width matters because a longer line would not be fully overwritten by the next update.
            return new Progress(false, Optional.of(new ProgressBarBuilder()
                .setTaskName(name).setInitialMax(steps).setStyle(ProgressBarStyle.ASCII)
                .setUpdateIntervalMillis(UPDATE_MS)
                .setConsumer(new DelegatingProgressBarConsumer((line) -> System.err.print('\r' + line), columns()))
                .build()));
        }

        public void next(final String what)
        {
            bar.ifPresent((shown) -> shown.setExtraMessage(what));
        }

        public void step()
        {
            bar.ifPresent(ProgressBar::step);
        }

        void round(final String message)
        {
            if (bar.isEmpty() && !isQuiet)
            {
                System.err.println(message);
            }
        }

        @Override
        public void close()
        {
            bar.ifPresent((shown) ->
            {
                shown.close();
                System.err.println();
            });
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
