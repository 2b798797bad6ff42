// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "tail",
    header = "Prints the last records, and with -f the records that are appended later.",
    description = {
        "",
        "With -f it continues until it is interrupted, even if the writer dies and another writer opens the " +
            "journal. Changes nothing and takes no lock." })
final class TailCommand extends JournalCommand
{
    private static final int POLL_LIMIT = 256;
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(20);

    @Option(names = "-n", paramLabel = "COUNT", description = "Number of last records to print (default: 10).")
    private long lines = 10;

    @Option(names = { "-f", "--follow" }, description = "Continue with records as they are appended.")
    private boolean isFollowing;

    @Option(names = "--max", paramLabel = "COUNT", description = "Stop after this many records.")
    private long max = Long.MAX_VALUE;

    @Option(names = "--hex", description = "Print the bytes, as for dump.")
    private boolean isHex;

    @Override
    public Integer call()
    {
        if (lines < 0 || max < 0)
        {
            throw new CommandException(ExitCode.USAGE, "-n and --max take a number of 0 or more");
        }

        try (ReadOnlyJournal journal = openReadOnly(); JournalReader reader = journal.openReader())
        {
            final long last = journal.lastSequence();
            reader.seek(Math.max(journal.firstSequence(), last + 1 - Math.min(lines, last)));
            print(reader, last);
        }

        return ExitCode.OK;
    }

    private void print(final JournalReader reader, final long last)
    {
        final RecordPrinter printer = new RecordPrinter(out(), isJson, isHex);
        boolean isBehind = false;
        while (printer.count() < max && !isEnded())
        {
            isBehind |= reader.nextSequence() > last;
            if (isBehind && !isFollowing)
            {
                return;
            }
            if (isBehind)
            {
                settle(reader);
            }
            final long wanted = isBehind ? POLL_LIMIT : Math.min(POLL_LIMIT, last + 1 - reader.nextSequence());
            if (0 == poll(reader, printer, (int)Math.min(wanted, max - printer.count())))
            {
                isBehind = true;
                LockSupport.parkNanos(isFollowing ? IDLE_NS : 0);
            }
        }
    }

    /**
     * Prints the next records. With -f, prints none if the next record was pruned or truncated after {@link #settle}
     * looked at the state; the next call of {@code settle} handles that.
     */
    private int poll(final JournalReader reader, final RecordPrinter printer, final int limit)
    {
        try
        {
            return reader.poll(printer, limit);
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
            err().println("journal: records from " + reader.nextSequence() + " on were pruned");
            reader.seekToStart();
        }
        else if (JournalReader.State.TRUNCATED == state)
        {
            err().println("journal: the journal was truncated; continuing at its new end");
            reader.seekToEnd();
        }
        err().flush();
    }
}
