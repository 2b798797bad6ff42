package io.journal.bench.journal;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.ReadOnlyJournal;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Usage;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * One thread appends at a fixed rate, another follows: how long after the moment it should have been appended does a
 * record reach the reader? So a stall counts for every record that had to wait for its end.
 */
final class FollowTrial
{
    private static final String READING = "reading";
    private static final int POLL_LIMIT = 64;
    private static final int END_SECONDS = 20;
    private static final int MS_PER_S = 1000;

    private final Histogram latencies = new Histogram(3);
    private final CountDownLatch reading = new CountDownLatch(1);
    private final ByteBuffer content;
    private final IdleStrategy idle;
    private final int rate;
    private final long warmUpCount;
    private final long count;
    private long found;
    private volatile Throwable failure;

    private FollowTrial(final Arguments args)
    {
        idle = Follow.Idle.SPIN == args.one(Follow.Idle.class, "idle") ?
            new BusySpinIdleStrategy() : new BackoffIdleStrategy();
        rate = args.length("rate");
        warmUpCount = args.number("warmUpMs") * rate / MS_PER_S;
        count = warmUpCount + args.number("ms") * rate / MS_PER_S;
        content = ByteBuffer.allocateDirect(args.length("recordLength")).order(ByteOrder.LITTLE_ENDIAN);
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments told = Arguments.of(args);
        final FollowTrial trial = new FollowTrial(told);
        try (Journal journal = MeasuredJournal.of(told, "journal").open())
        {
            if (Follow.Where.PROCESS == told.one(Follow.Where.class, "where"))
            {
                trial.runWithProcess(journal, told.all());
            }
            else
            {
                trial.runWithThread(journal);
                Percentiles.print(trial.latencies);
            }
        }
    }

    /** The follower in a process of its own, which is told the same, and says when it is reading. */
    static final class Other
    {
        private Other()
        {
        }

        public static void main(final String[] args)
        {
            final Arguments told = Arguments.of(args);
            final FollowTrial trial = new FollowTrial(told);
            try (ReadOnlyJournal journal = Journal.openReadOnly(MeasuredJournal.of(told, "journal").path());
                JournalReader reader = journal.openReader())
            {
                System.out.println(READING);
                trial.follow(reader);
            }
            Percentiles.print(trial.latencies);
        }
    }

    private void runWithProcess(final Journal journal, final List<String> args) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(Other.class));
        command.addAll(args);
        final Process other = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader lines = other.inputReader(StandardCharsets.UTF_8))
        {
            if (READING.equals(lines.readLine()))
            {
                append(journal.appender());
                // One that stands still is ended, and with it what is read from it.
                other.onExit().completeOnTimeout(other, END_SECONDS, TimeUnit.SECONDS)
                    .thenAccept(Process::destroyForcibly);
                lines.lines().forEach(System.out::println);
            }
        }
        finally
        {
            if (!other.waitFor(END_SECONDS, TimeUnit.SECONDS))
            {
                other.destroyForcibly();
            }
        }

        if (0 != other.waitFor())
        {
            throw new IllegalStateException("the follower failed: exit code=" + other.exitValue());
        }
    }

    private void runWithThread(final Journal journal) throws InterruptedException
    {
        final Thread reader = new Thread(() -> follow(journal), "follower");
        reader.setDaemon(true);
        reader.start();
        reading.await();
        append(journal.appender());

        reader.join(TimeUnit.SECONDS.toMillis(END_SECONDS));
        if (null != failure)
        {
            throw new IllegalStateException("the follower failed", failure);
        }
        if (reader.isAlive())
        {
            throw new IllegalStateException("the follower stands still: appended=" + count + ", found=" + found);
        }
    }

    private void append(final JournalAppender appender)
    {
        final Usage usage = Usage.now();
        final Pace pace = new Pace(rate);
        for (long i = 0; i < count; i++)
        {
            content.putLong(0, pace.next());
            appender.append(i, content.clear());
        }
        usage.printSince("");
    }

    private void follow(final Journal journal)
    {
        try (JournalReader reader = journal.openReader())
        {
            reading.countDown();
            follow(reader);
        }
        catch (final Throwable ex)
        {
            failure = ex;
        }
    }

    private void follow(final JournalReader reader)
    {
        while (found < count)
        {
            idle.idle(reader.poll((buffer, offset, length, header) ->
            {
                final long latencyNs = System.nanoTime() - buffer.getLong(offset, ByteOrder.LITTLE_ENDIAN);
                if (header.tag() != found || length != content.capacity())
                {
                    throw new IllegalStateException(
                        "wrong record: expected tag=" + found + ", found=" + header.tag() + ", length=" + length);
                }
                if (found++ >= warmUpCount)
                {
                    latencies.recordValue(Math.max(0, latencyNs));
                }
            }, POLL_LIMIT));
        }
    }
}
