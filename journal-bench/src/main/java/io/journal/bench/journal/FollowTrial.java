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
 * One thread appends at a fixed rate, another one follows. Latency is measured from the time a record was due, so a
 * stall counts for every record that it delayed (no coordinated omission).
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
        final Arguments arguments = Arguments.of(args);
        final FollowTrial trial = new FollowTrial(arguments);
        try (Journal journal = JournalUnderTest.of(arguments, "journal").open())
        {
            if (Follow.Where.PROCESS == arguments.one(Follow.Where.class, "where"))
            {
                trial.runWithProcess(journal, arguments.all());
            }
            else
            {
                trial.runWithThread(journal);
                Percentiles.print(trial.latencies);
            }
        }
    }

    /** The follower as a process: takes the same arguments, and prints a line when it starts to read. */
    static final class Other
    {
        private Other()
        {
        }

        public static void main(final String[] args)
        {
            final Arguments arguments = Arguments.of(args);
            final FollowTrial trial = new FollowTrial(arguments);
            try (ReadOnlyJournal journal = Journal.openReadOnly(JournalUnderTest.of(arguments, "journal").path());
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
                // Kills a hanging follower, which also ends the read loop below.
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
            throw new IllegalStateException("the follower hangs: appended=" + count + ", found=" + found);
        }
    }

    private void append(final JournalAppender appender)
    {
        final Usage usage = Usage.now();
        final Pacer pacer = new Pacer(rate);
        for (long i = 0; i < count; i++)
        {
            content.putLong(0, pacer.next());
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
