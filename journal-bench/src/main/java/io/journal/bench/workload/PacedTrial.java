// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.workload;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.journal.ForcePolicy;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.JournalSubject;
import io.journal.bench.subject.Setup;
import io.journal.bench.subject.Subject;
import org.HdrHistogram.Histogram;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.BusySpinIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

/**
 * One thread appends at a fixed rate, by a schedule that does not slow down after a stall, so that the delay of every
 * record is measured (no coordinated omission). The first records are warm-up. Numbers start at 1.
 */
final class PacedTrial
{
    // Bounds a run whose rate cannot be sustained.
    private static final int MAX_TIMES_LONGER = 3;
    private static final int END_SECONDS = 600;
    private static final String READING = "reading=true";
    private static final int MS_PER_S = 1000;
    private static final long WAKE_UP_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final Setup setup;
    private final Arguments args;
    private final long rate;
    private final long count;
    private final double intervalNs;
    // Only one thread records latencies.
    private final Histogram latencies = new Histogram(3);
    // Number of the last record of the warm-up: the appending thread may lower it before it appends the next record.
    private volatile long warmUpCount;
    private volatile boolean isStopped;
    private long startNs;
    // Confined to the thread that notifies or follows.
    private long received;

    PacedTrial(final Setup setup)
    {
        this.setup = setup;
        args = setup.args();
        rate = args.number("rate");
        warmUpCount = args.number("warmUpMs") * rate / MS_PER_S;
        count = warmUpCount + Math.max(1, args.number("ms") * rate / MS_PER_S);
        intervalNs = Unit.NS_PER_S / rate;
    }

    private long dueNs(final long number)
    {
        return startNs + (long)(number * intervalNs);
    }

    /** Waits until a record is due, parking while there is enough time; returns when it was due. */
    private long await(final long number)
    {
        final long dueNs = dueNs(number);
        for (long leftNs = dueNs - System.nanoTime(); leftNs > 0; leftNs = dueNs - System.nanoTime())
        {
            if (leftNs > 2 * WAKE_UP_NS)
            {
                LockSupport.parkNanos(leftNs - WAKE_UP_NS);
            }
            else
            {
                Thread.onSpinWait();
            }
        }
        return dueNs;
    }

    private void record(final long number, final long latencyNs)
    {
        if (number > warmUpCount && number <= count)
        {
            latencies.recordValue(Math.max(0, latencyNs));
        }
    }

    /**
     * Measures the duration of the calls, and the latency from the time a record was due until it is written or
     * durable, so that a stall counts for every record that it delayed.
     * <p>
     * With a periodic force policy a listener is notified while the thread continues to append; otherwise the thread
     * waits for each durable record.
     */
    void append() throws Exception
    {
        final ForcePolicy policy = JournalSubject.policy(args.text("forcePolicy", "manual"));
        final boolean isForced = "FORCED".equals(args.text("until", "WRITTEN")) && !policy.isEveryRecord();
        final Source source = new Source(setup.recordLength());
        try (Subject subject = setup.open())
        {
            final CountDownLatch allNotified = new CountDownLatch(1);
            // Set when the last record is appended.
            final AtomicLong last = new AtomicLong(Long.MAX_VALUE);
            startNs = System.nanoTime();
            final boolean isListening = isForced && policy.isPeriodic() && subject.onDurable((durable) ->
            {
                final long now = System.nanoTime();
                while (received < durable)
                {
                    received++;
                    record(received, now - dueNs(received));
                }
                if (durable >= last.get())
                {
                    allNotified.countDown();
                }
            });
            final MeasuredInterval usage = MeasuredInterval.start();
            append(subject, source, isForced, isListening);
            if (isListening)
            {
                last.set(source.count());
                // Append one more record, because the listener may have been notified of the last record before
                // {@code last} was set.
                source.append(subject, 1);
                if (!allNotified.await(END_SECONDS, TimeUnit.SECONDS))
                {
                    throw new IllegalStateException("listener not notified: appended=" + last);
                }
            }
            usage.print("");
            subject.flush();
            source.check(subject);
        }
        Percentiles.print(latencies);
    }

    private void append(
        final Subject subject, final Source source, final boolean isForced, final boolean isListening)
        throws Exception
    {
        final Histogram calls = new Histogram(3);
        final long warmUpNs = mostNs(warmUpCount);
        final long mostNs = mostNs(count);
        final long beginNs = System.nanoTime();
        long nowNs = beginNs;
        long countedNs = beginNs;
        long lateNs;
        long number = 0;
        boolean isCounting = false;
        do
        {
            if (!isCounting && (number == warmUpCount || nowNs - beginNs >= warmUpNs))
            {
                // The warm-up also ends by time, because otherwise a slow disk would leave nothing to measure.
                isCounting = true;
                warmUpCount = number;
                countedNs = System.nanoTime();
            }
            final long dueNs = await(++number);
            final long callNs = System.nanoTime();
            if (isForced && !isListening)
            {
                source.appendDurably(subject);
            }
            else
            {
                source.append(subject, 1);
            }
            nowNs = System.nanoTime();
            lateNs = nowNs - dueNs;
            if (isCounting)
            {
                calls.recordValue(nowNs - callNs);
            }
            if (!isListening)
            {
                record(number, lateNs);
            }
        }
        while (number < count && (!isCounting || nowNs - beginNs < mostNs));
        Child.print("achievedPerSecond", (number - warmUpCount) * Unit.NS_PER_S / (nowNs - countedNs));
        Child.print("lateUs", lateNs / Unit.NS_PER_US);
        Child.print("callP50Ns", calls.getValueAtPercentile(50));
    }

    /** Limit of the time for a number of records, which are due in a third of it. */
    private long mostNs(final long records)
    {
        return (long)(MAX_TIMES_LONGER * records * Unit.NS_PER_S / rate);
    }

    /**
     * Measures the latency from the time a record was due to be appended until a follower has it. The follower is
     * another thread or process that reads each record as soon as it can. A record holds its number and the time at
     * which it was due, by the clock that all processes of the machine share.
     */
    void follow() throws Exception
    {
        if (args.is("reading"))
        {
            final Subject.Follower follower = JournalSubject.openFollower(setup);
            System.out.println(READING);
            follow(follower);
            Percentiles.print(latencies);
            return;
        }
        try (Subject subject = setup.open())
        {
            if ("PROCESS".equals(args.text("where", "THREAD")))
            {
                appendToProcess(subject);
            }
            else
            {
                appendToThread(subject);
                Percentiles.print(latencies);
            }
        }
    }

    private void appendToProcess(final Subject subject) throws Exception
    {
        final List<String> command = new ArrayList<>(Child.javaCommand(WorkloadTrial.class, List.of()));
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
                    appendTimes(subject);
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

    private void appendToThread(final Subject subject) throws Exception
    {
        final Subject.Follower follower = subject.openFollower();
        final FutureTask<Void> following = new FutureTask<>(() -> follow(follower), null);
        final Thread thread = new Thread(following, "follower");
        thread.setDaemon(true);
        thread.start();
        try
        {
            appendTimes(subject);
            following.get(END_SECONDS, TimeUnit.SECONDS);
        }
        finally
        {
            // Nothing may be read once the subject is closed.
            isStopped = true;
            thread.join();
        }
    }

    private void appendTimes(final Subject subject) throws Exception
    {
        final byte[] bytes = new byte[setup.recordLength()];
        final MeasuredInterval usage = MeasuredInterval.start();
        startNs = System.nanoTime();
        for (long i = 1; i <= count; i++)
        {
            Subject.WORD.set(bytes, bytes.length - Long.BYTES, i);
            Subject.WORD.set(bytes, 0, await(i));
            subject.append(bytes, 0, bytes.length);
        }
        subject.flush();
        usage.print("");
    }

    private void follow(final Subject.Follower follower)
    {
        final IdleStrategy idle =
            "BACKOFF".equals(args.text("idle", "SPIN")) ? new BackoffIdleStrategy() : new BusySpinIdleStrategy();
        while (received < count && !isStopped)
        {
            idle.idle(follower.poll(this::take) ? 1 : 0);
        }
    }

    private void take(final long dueNs, final long number, final int length)
    {
        final long latencyNs = System.nanoTime() - dueNs;
        if (number != received + 1 || length != setup.recordLength())
        {
            throw new IllegalStateException(
                "wrong record: expected number=" + (received + 1) + ", found=" + number + ", length=" + length);
        }
        record(++received, latencyNs);
    }
}
