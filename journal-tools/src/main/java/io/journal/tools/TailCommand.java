package io.journal.tools;

import java.io.PrintWriter;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

@Command(
    name = "tail",
    header = "Prints the last records, and with -f those that follow.",
    description = {
        "",
        "With -f it continues until it is interrupted, also when a writer dies and another one opens the journal. " +
            "Changes nothing and takes no lock." },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        "0:printed",
        "1:the journal is damaged; the records before the damage were printed",
        "2:the command line is wrong",
        "3:no journal here, or one of a newer format",
        "5:the files could not be read, or the output not written" })
final class TailCommand implements Callable<Integer>
{
    private static final int POLL_LIMIT = 256;
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    @Mixin
    private JournalOptions options;

    @Option(names = "-n", paramLabel = "COUNT", description = "Number of last records to print (default: 10).")
    private long lines = 10;

    @Option(names = { "-f", "--follow" }, description = "Continue with records as they are appended.")
    private boolean isFollowing;

    @Option(names = "--max", paramLabel = "COUNT", description = "Stop after this many records.")
    private long max = Long.MAX_VALUE;

    @Option(names = "--format", paramLabel = "FORMAT", description = "text (default), hex or json, as for dump.")
    private RecordPrinter.Format format = RecordPrinter.Format.TEXT;

    @Spec
    private CommandSpec spec;

    @Override
    public Integer call()
    {
        if (lines < 0 || max < 0)
        {
            throw new CommandException(ExitCode.USAGE, "-n and --max take a number of 0 or more");
        }

        final PrintWriter out = spec.commandLine().getOut();
        final RecordPrinter printer =
            new RecordPrinter(out, options.isJson() ? RecordPrinter.Format.JSON : format);
        try (ReadOnlyJournal journal = options.openReadOnly();
            JournalReader reader = journal.openReader())
        {
            final long last = journal.lastSequence();
            reader.seek(Math.max(journal.firstSequence(), last + 1 - Math.min(lines, last)));
            print(reader, last, printer, out);
            while (isFollowing && printer.count() < max && !out.checkError() && !Thread.currentThread().isInterrupted())
            {
                settle(reader);
                if (0 == poll(reader, printer, max - printer.count()))
                {
                    LockSupport.parkNanos(IDLE_NS);
                }
            }
        }

        return ExitCode.OK;
    }

    private void print(
        final JournalReader reader, final long last, final RecordPrinter printer, final PrintWriter out)
    {
        while (reader.nextSequence() <= last && printer.count() < max && !out.checkError() &&
            !Thread.currentThread().isInterrupted())
        {
            final long wanted = Math.min(last + 1 - reader.nextSequence(), max - printer.count());
            if (0 == poll(reader, printer, wanted))
            {
                break;
            }
        }
    }

    /**
     * Prints the next records. With -f, none if the next one was pruned or truncated since the reader was settled.
     */
    private int poll(final JournalReader reader, final RecordPrinter printer, final long wanted)
    {
        try
        {
            return reader.poll(printer, (int)Math.min(POLL_LIMIT, wanted));
        }
        catch (final JournalException ex)
        {
            final JournalReader.State state = reader.state();
            if (isFollowing && (JournalReader.State.PRUNED == state || JournalReader.State.TRUNCATED == state))
            {
                return 0;
            }
            throw ex;
        }
    }

    private void settle(final JournalReader reader)
    {
        final JournalReader.State state = reader.state();
        if (JournalReader.State.PRUNED == state)
        {
            spec.commandLine().getErr().println("journal: records from " + reader.nextSequence() + " on were pruned");
            reader.seekToStart();
        }
        else if (JournalReader.State.TRUNCATED == state)
        {
            spec.commandLine().getErr().println("journal: the journal was truncated; continuing at its new end");
            reader.seekToEnd();
        }
        spec.commandLine().getErr().flush();
    }
}
