// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.time.LocalTime;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.JournalCursor;
import io.journal.ReadOnlyJournal;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
    name = "stats",
    header = "Shows how fast a journal grows, and how far its consumers are behind.",
    description = {
        "",
        "Watches the journal for a second, then prints a line: the newest record, how many records are not durable, " +
            "how fast the journal grows, and the lag of the slowest consumer.",
        "",
        "Reads the segments to find the newest record, and journal.control to find the newest durable one. The " +
            "writer's counters and events are visible only in its own process. Changes nothing, takes no lock, and " +
            "does not slow the writer down." })
final class StatsCommand extends JournalCommand
{
    private static final int LINES_PER_TITLE = 20;
    private static final String ROW = "%-8s %12s %11s %9s %9s %8s%n";

    @Option(
        names = "--every",
        paramLabel = "SECONDS",
        description = "How long to watch before each line (default: 1).")
    private double seconds = 1;

    @Option(names = "--count", paramLabel = "COUNT", description = "Print this many lines (default: 1; 0: continue " +
        "until interrupted).")
    private long count = 1;

    /** The state of a journal at one time. A position is that of a record's frame, or 0 if there is no such record. */
    private record Sample(
        long timeMs, long firstSequence, long lastSequence, long lastPosition, long forcedSequence,
        long forcedPosition, long recordsPerSecond, long bytesPerSecond, List<JournalCursor.Saved> cursors)
    {
    }

    @Override
    public Integer call()
    {
        if (!(seconds >= 0.01 && seconds <= 3600) || count < 0)
        {
            throw new CommandException(
                ExitCode.USAGE, "--every takes 0.01 to 3600 seconds, --count a number of 0 or more");
        }

        try (ReadOnlyJournal journal = openReadOnly())
        {
            long beforeNs = System.nanoTime();
            Sample before = sample(journal, null, 0);
            for (long line = 0; (line < count || 0 == count) && await(beforeNs) && !isEnded(); line++)
            {
                final long nowNs = System.nanoTime();
                final Sample sample = sample(journal, before, nowNs - beforeNs);
                print(sample, line);
                before = sample;
                beforeNs = nowNs;
            }
        }

        return ExitCode.OK;
    }

    /** Waits until the next line is due; returns false if the thread is interrupted. */
    private boolean await(final long beforeNs)
    {
        final long deadlineNs = beforeNs + (long)(seconds * TimeUnit.SECONDS.toNanos(1));
        for (long left = deadlineNs - System.nanoTime(); left > 0 && !Thread.currentThread().isInterrupted();)
        {
            LockSupport.parkNanos(left);
            left = deadlineNs - System.nanoTime();
        }
        return !Thread.currentThread().isInterrupted();
    }

    private static Sample sample(final ReadOnlyJournal journal, final Sample before, final long elapsedNs)
    {
        final long last = journal.lastSequence();
        final long forced = Math.min(last, journal.forcedSequence());
        final long lastPosition = position(journal, last);
        return new Sample(
            System.currentTimeMillis(), journal.firstSequence(), last, lastPosition, forced,
            position(journal, forced), null == before ? 0 : perSecond(last - before.lastSequence, elapsedNs),
            null == before ? 0 : perSecond(lastPosition - before.lastPosition, elapsedNs), journal.cursors());
    }

    private static long position(final ReadOnlyJournal journal, final long sequence)
    {
        final long[] position = new long[1];
        journal.get(sequence, (buffer, offset, length, header) -> position[0] = header.position());
        return position[0];
    }

    private static long perSecond(final long count, final long elapsedNs)
    {
        // The count is negative after a truncation.
        return Math.round(Math.max(0, count) * 1e9 / elapsedNs);
    }

    private void print(final Sample sample, final long line)
    {
        if (isJson)
        {
            out().println(Json.of(sample));
            return;
        }

        if (0 == line % LINES_PER_TITLE)
        {
            out().printf(ROW, "time", "written", "not durable", "records/s", "bytes/s", "lag");
        }
        out().printf(
            ROW, LocalTime.now().truncatedTo(ChronoUnit.SECONDS).format(DateTimeFormatter.ISO_TIME),
            Text.number(sample.lastSequence),
            Text.number(sample.lastSequence - Math.max(sample.forcedSequence, sample.firstSequence - 1)),
            Text.number(sample.recordsPerSecond), Text.bytes(sample.bytesPerSecond),
            Text.number(sample.cursors.stream().mapToLong(JournalCursor.Saved::lag).max().orElse(0)));
    }
}
