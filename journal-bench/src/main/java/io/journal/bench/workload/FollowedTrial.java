package io.journal.bench.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * One thread appends at a fixed rate, another one, or another process, reads each record as soon as it can: the latency
 * from the time a record was due to be appended until the follower has it. A record holds the time at which it was due,
 * by the clock that all processes of the machine share, and its number.
 */
final class FollowedTrial
{
    private static final String READING = "reading=true";
    private static final int END_SECONDS = 600;

    private final Setup setup;
    private final Arguments args;
    private final Pacer pacer;
    private final IdleStrategy idle;
    private final byte[] bytes;
    private volatile boolean isStopped;
    // Confined to the follower.
    private long found;

    FollowedTrial(final Setup setup)
    {
        this.setup = setup;
        args = setup.args();
        pacer = new Pacer(args);
        bytes = new byte[setup.recordLength()];
        idle = "BACKOFF".equals(args.text("idle", "SPIN")) ? new BackoffIdleStrategy() : new BusySpinIdleStrategy();
    }

    void run() throws Exception
    {
        if (args.is("reading"))
        {
            try (Subject.Follower follower = JournalSubject.openFollower(setup))
            {
                System.out.println(READING);
                follow(follower);
            }
            Percentiles.print(pacer.latencies);
            return;
        }
        try (Subject subject = setup.open())
        {
            if ("PROCESS".equals(args.text("where", "THREAD")))
            {
                runWithProcess(subject);
            }
            else
            {
                runWithThread(subject);
                Percentiles.print(pacer.latencies);
            }
        }
    }

    private void runWithProcess(final Subject subject) throws Exception
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(WorkloadTrial.class));
        command.addAll(args.all());
        command.add(READING);
        try (Child other = Child.start(command))
        {
            other.await(0, (line) ->
            {
                if (!READING.equals(line))
                {
                    System.out.println(line);
                    return;
                }
                try
                {
                    append(subject);
                }
                catch (final Exception ex)
                {
                    throw new IllegalStateException(ex);
                }
                // Kills a hanging follower, which also ends its lines.
                CompletableFuture.delayedExecutor(END_SECONDS, TimeUnit.SECONDS).execute(other::close);
            });
        }
    }

    private void runWithThread(final Subject subject) throws Exception
    {
        try (Subject.Follower follower = subject.openFollower())
        {
            final FutureTask<Void> following = new FutureTask<>(() -> follow(follower), null);
            final Thread thread = new Thread(following, "follower");
            thread.setDaemon(true);
            thread.start();
            try
            {
                append(subject);
                following.get(END_SECONDS, TimeUnit.SECONDS);
            }
            finally
            {
                // Nobody may read what is closed.
                isStopped = true;
                thread.join();
            }
        }
    }

    private void append(final Subject subject) throws Exception
    {
        final MeasuredInterval usage = MeasuredInterval.start();
        pacer.start();
        for (long i = 0; i < pacer.count; i++)
        {
            Subject.WORD.set(bytes, bytes.length - Long.BYTES, i);
            Subject.WORD.set(bytes, 0, pacer.next());
            subject.append(bytes, 0, bytes.length);
        }
        subject.flush();
        usage.print("");
    }

    private void follow(final Subject.Follower follower)
    {
        while (found < pacer.count && !isStopped)
        {
            idle.idle(follower.poll(this::take) ? 1 : 0);
        }
    }

    private void take(final long dueNs, final long number, final int length)
    {
        final long latencyNs = System.nanoTime() - dueNs;
        if (number != found || length != bytes.length)
        {
            throw new IllegalStateException(
                "wrong record: expected number=" + found + ", found=" + number + ", length=" + length);
        }
        pacer.record(++found, latencyNs);
    }
}
