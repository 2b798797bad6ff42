package io.journal.tools;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "stats",
    header = "Shows what a journal's writer and its consumers are doing.",
    description = {
        "",
        "Watches the journal for a second, then shows what is written and durable, how fast it grows, how long " +
            "fsyncs take, whether the next segment is prepared, whether the disk was full or storage failed, " +
            "and how far consumers lag. With --count it continues, with a line for each second.",
        "",
        "The writer stores its counters in journal.mark at least ten times a second, if its background agent has a " +
            "thread. Counters older than ten seconds are called stale. Changes nothing, takes no lock, and does not " +
            "slow the writer down." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:printed",
        "1:the journal is damaged",
        "2:the command line is wrong",
        "3:no journal here, or one of a newer format",
        "5:the files could not be read, or the output not written" })
final class StatsCommand implements Callable<Integer>
{
    private static final int LINES_PER_TITLE = 20;
    private static final String ROW = "%-8s %12s %11s %9s %9s %8s %8s %8s%n";

    @Mixin
    private JournalOptions options;

    @Option(
        names = "--every",
        paramLabel = "SECONDS",
        description = "How long to watch before each line (default: 1).")
    private double seconds = 1;

    @Option(names = "--count", paramLabel = "COUNT", description = "Print this many lines (default: one full report; " +
        "0: continue until interrupted).")
    private Long count;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        if (!(seconds >= 0.01 && seconds <= 3600) || null != count && count < 0)
        {
            throw new CommandException(
                ExitCode.USAGE, "--every takes 0.01 to 3600 seconds, --count a number of 0 or more");
        }

        final PrintWriter out = spec.commandLine().getOut();
        final long lines = null == count ? 1 : 0 == count ? Long.MAX_VALUE : count;
        try (ReadOnlyJournal journal = options.openReadOnly())
        {
            Sample before = Sample.of(journal);
            for (long line = 0; line < lines; line++)
            {
                await(before.timeNs() + (long)(seconds * TimeUnit.SECONDS.toNanos(1)));
                if (Thread.currentThread().isInterrupted())
                {
                    break;
                }
                final Sample sample = Sample.of(journal);
                print(out, line, sample, before, journal.path());
                if (out.checkError())
                {
                    break;
                }
                before = sample;
            }
        }

        return ExitCode.OK;
    }

    private static void await(final long deadlineNs)
    {
        long left = deadlineNs - System.nanoTime();
        while (left > 0 && !Thread.currentThread().isInterrupted())
        {
            LockSupport.parkNanos(left);
            left = deadlineNs - System.nanoTime();
        }
    }

    private void print(
        final PrintWriter out, final long line, final Sample sample, final Sample before, final Path journal)
    {
        if (options.isJson())
        {
            final ObjectNode object = Json.object();
            sample.write(object, before, journal);
            out.println(Json.line(object));
        }
        else if (null == count)
        {
            printAll(out, sample, before, journal);
        }
        else
        {
            if (0 == line % LINES_PER_TITLE)
            {
                out.printf(ROW, "time", "written", "not durable", "records/s", "bytes/s", "fsyncs/s", "ms/fsync",
                    "lag");
            }
            printRow(out, sample, before);
            printNews(out, 0 == line ? null : before, sample);
        }
    }

    private static void printRow(final PrintWriter out, final Sample sample, final Sample before)
    {
        out.printf(
            ROW, LocalTime.now().truncatedTo(ChronoUnit.SECONDS).format(java.time.format.DateTimeFormatter.ISO_TIME),
            Text.number(sample.lastSequence()), Text.number(sample.unforced()),
            Text.number(Math.round(sample.recordsPerSecond(before))),
            Text.bytes(Math.round(sample.bytesPerSecond(before))),
            Text.number(Math.round(sample.forcesPerSecond(before))), ms(sample.msPerForce(before)),
            Text.number(sample.lag()));
    }

    /**
     * Prints events that deserve a line of their own, when they occur.
     */
    private static void printNews(final PrintWriter out, final Sample before, final Sample sample)
    {
        if (null == before ? !sample.isLive() : before.isLive() != sample.isLive())
        {
            out.println("  writer: " + writer(sample));
        }
        if (sample.isFailed() && (null == before || !before.isFailed()))
        {
            out.println("  storage FAILED: nothing more is acknowledged until the journal is opened again");
        }
        final long refused = sample.refusals() - (null == before ? 0 : before.refusals());
        if (refused > 0)
        {
            out.println("  no space: " + Text.count(refused, "append") + " refused");
        }
    }

    private static void printAll(
        final PrintWriter out, final Sample sample, final Sample before, final Path journal)
    {
        final long first = sample.firstSequence();
        final long last = sample.lastSequence();
        Text.line(out, "records", last < first ? "none; the next is " + Text.number(last + 1) :
            Text.number(first) + " to " + Text.number(last));
        Text.line(out, "not durable", Text.count(sample.unforced(), "record"));
        Text.line(out, "growing", Text.number(Math.round(sample.recordsPerSecond(before))) + " records/s, " +
            Text.bytes(Math.round(sample.bytesPerSecond(before))) + "/s, " +
            Text.number(Math.round(sample.forcesPerSecond(before))) + " fsyncs/s");
        Text.line(out, "writer", writer(sample));
        if (sample.hasCounters())
        {
            printCounters(out, sample);
        }
        Sample.print(out, sample.cursors(), journal);
    }

    private static void printCounters(final PrintWriter out, final Sample sample)
    {
        Text.line(out, "  appended", record(sample.appendedSequence(), sample.appendedPosition()));
        Text.line(out, "  written", record(sample.writtenSequence(), sample.writtenPosition()));
        Text.line(out, "  durable", record(sample.forcedSequence(), sample.forcedPosition()));
        Text.line(out, "  segments", Text.number(sample.segments()) +
            (sample.preparedSegments() > 0 ? ", and " + sample.preparedSegments() + " prepared" : ""));
        Text.line(out, "  fsyncs", 0 == sample.forces() ? "none" : Text.number(sample.forces()) + ", of " +
            ms(sample.forceTimeNs() / 1e6 / sample.forces()) + " ms on average; the longest took " +
            ms(sample.maxForceTimeNs() / 1e6) + " ms");
        Text.line(out, "  waiting", Text.count(sample.waiters(), "thread"));
        Text.line(out, "  no space", 0 == sample.refusals() ? "never" :
            "refused " + Text.count(sample.refusals(), "append"));
        Text.line(out, "  storage", sample.isFailed() ?
            "FAILED: nothing more is acknowledged until the journal is opened again" : "did not fail");
    }

    private static String record(final long sequence, final long position)
    {
        return "up to record " + Text.number(sequence) + ", position " + Text.number(position);
    }

    private static String writer(final Sample sample)
    {
        if (!sample.hasCounters())
        {
            return "unknown: no counters in journal.mark";
        }
        final long ageMs = Math.max(0, System.currentTimeMillis() - sample.countersTimeMs());
        return sample.isLive() ? "live, last update " + Text.duration(ageMs) + " ago" :
            "STALE: closed, died or hung; last update " + Text.duration(ageMs) + " ago, at " +
                Text.time(sample.countersTimeMs());
    }

    private static String ms(final double ms)
    {
        return String.format(Locale.ROOT, ms < 10 ? "%.2f" : ms < 100 ? "%.1f" : "%,.0f", ms);
    }
}
