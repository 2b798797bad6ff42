package io.journal.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "stats",
    header = "Watches how a journal grows.",
    description = {
        "",
        "Prints every so often what is written and forced by now, and how many records a second came since the last " +
            "line. Changes nothing, asks for no lock, and does not slow its writer down." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:printed",
        "1:damage was met",
        "2:the command line is wrong",
        "3:no journal here, or one of a newer format",
        "5:the files could not be read" })
final class StatsCommand implements Callable<Integer>
{
    @Mixin
    private JournalOptions options;

    @Option(names = "--every", paramLabel = "SECONDS", description = "Time between two lines (default: 1).")
    private double seconds = 1;

    @Option(names = "--count", paramLabel = "COUNT", description = "End after so many lines (default: 1; 0: never).")
    private long count = 1;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        if (!(seconds >= 0.01 && seconds <= 3600) || count < 0)
        {
            throw new Refusal(ExitCode.USAGE, "--every takes 0.01 to 3600 seconds, --count a number of 0 or more");
        }

        final PrintWriter out = spec.commandLine().getOut();
        try (ReadOnlyJournal journal = Journal.openReadOnly(options.journal()))
        {
            long before = journal.lastSequence();
            long beforeNs = System.nanoTime();
            for (long line = 0; 0 == count || line < count; line++)
            {
                await(beforeNs + (long)(seconds * TimeUnit.SECONDS.toNanos(1)));
                final long last = journal.lastSequence();
                final long nowNs = System.nanoTime();
                print(out, journal, last, (last - before) * 1e9 / (nowNs - beforeNs));
                if (out.checkError() || Thread.currentThread().isInterrupted())
                {
                    break;
                }
                before = last;
                beforeNs = nowNs;
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

    private void print(final PrintWriter out, final ReadOnlyJournal journal, final long last, final double rate)
    {
        final long first = journal.firstSequence();
        final long forced = journal.forcedSequence();
        if (options.isJson())
        {
            out.println(Json.line(Json.object()
                .put("timeMs", System.currentTimeMillis())
                .put("firstSequence", first)
                .put("lastSequence", last)
                .put("forcedSequence", forced)
                .put("recordsPerSecond", Math.round(rate))));
        }
        else
        {
            out.println("written " + Text.number(last) + ", forced " + Text.number(forced) + ", not forced " +
                Text.number(Math.max(0, last - forced)) + ", oldest " + Text.number(first) + ", " +
                Text.number(Math.round(rate)) + " records/s");
        }
    }
}
