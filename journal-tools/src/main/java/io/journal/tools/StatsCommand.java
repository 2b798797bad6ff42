package io.journal.tools;

import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.temporal.ChronoUnit;
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
    header = "Shows how a journal grows, and how far its consumers are.",
    description = {
        "",
        "Watches the journal for a second, then shows what is written and durable, how fast it grows, and how far " +
            "consumers lag. With --count it continues, with a line for each second.",
        "",
        "What is written is found by reading, what is durable stands in journal.control. The writer's counters and " +
            "events are those of its own process. Changes nothing, takes no lock, and does not slow the writer down." },
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
    private static final String ROW = "%-8s %12s %11s %9s %9s %8s%n";

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
                print(out, line, sample, before);
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

    private void print(final PrintWriter out, final long line, final Sample sample, final Sample before)
    {
        if (options.isJson())
        {
            final ObjectNode object = Json.object();
            sample.write(object, before);
            out.println(Json.line(object));
        }
        else if (null == count)
        {
            printAll(out, sample, before);
        }
        else
        {
            if (0 == line % LINES_PER_TITLE)
            {
                out.printf(ROW, "time", "written", "not durable", "records/s", "bytes/s", "lag");
            }
            printRow(out, sample, before);
        }
    }

    private static void printRow(final PrintWriter out, final Sample sample, final Sample before)
    {
        out.printf(
            ROW, LocalTime.now().truncatedTo(ChronoUnit.SECONDS).format(java.time.format.DateTimeFormatter.ISO_TIME),
            Text.number(sample.lastSequence()), Text.number(sample.unforced()),
            Text.number(Math.round(sample.recordsPerSecond(before))),
            Text.bytes(Math.round(sample.bytesPerSecond(before))),
            Text.number(sample.lag()));
    }

    private static void printAll(final PrintWriter out, final Sample sample, final Sample before)
    {
        final long first = sample.firstSequence();
        final long last = sample.lastSequence();
        Text.line(out, "records", last < first ? "none; the next is " + Text.number(last + 1) :
            Text.number(first) + " to " + Text.number(last));
        Text.line(out, "written", end(last, sample.lastPosition()));
        Text.line(out, "durable", end(sample.forcedSequence(), sample.forcedPosition()));
        Text.line(out, "not durable", Text.count(sample.unforced(), "record"));
        Text.line(out, "growing", Text.number(Math.round(sample.recordsPerSecond(before))) + " records/s, " +
            Text.bytes(Math.round(sample.bytesPerSecond(before))) + "/s");
        Sample.print(out, sample.cursors());
    }

    private static String end(final long sequence, final long position)
    {
        return 0 == position ? "none, or unknown" :
            "up to record " + Text.number(sequence) + ", at position " + Text.number(position);
    }
}
