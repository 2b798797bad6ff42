package io.journal.bench.run;

import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import me.tongfei.progressbar.DelegatingProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/**
 * Shows on the error stream how far the measuring has come: a bar on a terminal, a line for each round elsewhere.
 */
public final class Progress implements AutoCloseable
{
    private static final int DEFAULT_COLUMNS = 80;
    private static final int UPDATE_MS = 250;

    private final PrintStream out;
    private final ProgressBar bar;

    private Progress(final PrintStream out, final ProgressBar bar)
    {
        this.out = out;
        this.bar = bar;
    }

    public static Progress of(final boolean isQuiet, final String name, final int steps)
    {
        if (isQuiet)
        {
            return new Progress(null, null);
        }

        return new Progress(System.err, isTerminal() ? bar(name, steps) : null);
    }

    /**
     * What comes next.
     */
    public void next(final String what)
    {
        if (null != bar)
        {
            bar.setExtraMessage(what);
        }
    }

    public void step()
    {
        if (null != bar)
        {
            bar.step();
        }
    }

    public void round(final String message)
    {
        if (null == bar && null != out)
        {
            out.println(message);
        }
    }

    @Override
    public void close()
    {
        if (null != bar)
        {
            bar.close();
            out.println();
        }
    }

    private static ProgressBar bar(final String name, final int steps)
    {
        // A consumer of our own: the default one looks for the terminal's width by native code, of which JDKs warn.
        return new ProgressBarBuilder()
            .setTaskName(name)
            .setInitialMax(steps)
            .setStyle(ProgressBarStyle.ASCII)
            .setUpdateIntervalMillis(UPDATE_MS)
            .setConsumer(new DelegatingProgressBarConsumer((line) -> System.err.print('\r' + line), columns() - 1))
            .build();
    }

    /** A line that is longer than the terminal is wide would leave a piece of itself behind at each update. */
    private static int columns()
    {
        try
        {
            final Process stty = new ProcessBuilder("stty", "size")
                .redirectInput(new File("/dev/tty")).redirectError(ProcessBuilder.Redirect.DISCARD).start();
            final String said = new String(stty.getInputStream().readAllBytes(), StandardCharsets.US_ASCII).trim();
            final int columns = Integer.parseInt(said.substring(said.indexOf(' ') + 1));
            return columns > 0 ? columns : DEFAULT_COLUMNS;
        }
        catch (final IOException | NumberFormatException ex)
        {
            return DEFAULT_COLUMNS;
        }
    }

    private static boolean isTerminal()
    {
        try
        {
            final String target = Files.readSymbolicLink(Path.of("/proc/self/fd/2")).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty");
        }
        catch (final IOException | RuntimeException ex)
        {
            return null != System.console();
        }
    }
}
