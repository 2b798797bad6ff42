package io.journal.tools;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.Stream;

import io.journal.internal.files.JournalFiles;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import picocli.CommandLine.Option;

/**
 * A progress bar on a terminal, or none.
 */
final class Progress implements AutoCloseable
{
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(200);

    // Null if none is drawn.
    private final ProgressBar bar;
    private final LongSupplier measured;
    private volatile boolean isClosed;

    private Progress(final ProgressBar bar, final LongSupplier measured)
    {
        this.bar = bar;
        this.measured = measured;
    }

    /** Options of a command that draws its progress. */
    static final class Options
    {
        @Option(names = "--quiet", description = "Show no progress bar.")
        private boolean isQuiet;

        /** Where to draw, or null: on a terminal only. */
        PrintStream console(final JournalOptions options)
        {
            return isQuiet || options.isJson() || null == System.console() ? null : System.err;
        }
    }

    /**
     * @param console where to draw, or null.
     */
    static Progress ofBytes(final PrintStream console, final String task, final long bytes)
    {
        return new Progress(null == console ? null : bar(console, task, bytes, " MiB", 1024 * 1024), null);
    }

    static Progress ofRecords(final PrintStream console, final String task, final long records)
    {
        return new Progress(null == console ? null : bar(console, task, records, " records", 1), null);
    }

    /** Progress of a copy, whose files another thread looks at meanwhile. */
    static Progress ofCopy(final PrintStream console, final String task, final Path from, final Path to)
    {
        if (null == console)
        {
            return new Progress(null, null);
        }

        final Progress progress =
            new Progress(bar(console, task, bytes(from), " MiB", 1024 * 1024), () -> bytes(to));
        final Thread thread = new Thread(progress::watch, "journal-progress");
        thread.setDaemon(true);
        thread.start();
        return progress;
    }

    void stepBy(final long count)
    {
        if (null != bar)
        {
            bar.stepBy(count);
        }
    }

    private void watch()
    {
        while (!isClosed)
        {
            bar.stepTo(measured.getAsLong());
            LockSupport.parkNanos(this, INTERVAL_NS);
        }
    }

    /** Length of the segments in a directory: as far as it can be read, since it may be renamed meanwhile. */
    private static long bytes(final Path directory)
    {
        try (Stream<Path> files = Files.list(directory))
        {
            long bytes = 0;
            for (final Path file : (Iterable<Path>)files::iterator)
            {
                bytes += JournalFiles.isSegment(String.valueOf(file.getFileName())) ? Files.size(file) : 0;
            }
            return bytes;
        }
        catch (final IOException ignore)
        {
            return 0;
        }
    }

    private static ProgressBar bar(
        final PrintStream console, final String task, final long max, final String unit, final long unitSize)
    {
        return new ProgressBarBuilder()
            .setTaskName(task)
            .setInitialMax(max)
            .setUnit(unit, unitSize)
            .setStyle(ProgressBarStyle.ASCII)
            .setConsumer(new ConsoleProgressBarConsumer(console))
            .build();
    }

    @Override
    public void close()
    {
        isClosed = true;
        if (null != bar)
        {
            bar.close();
        }
    }
}
