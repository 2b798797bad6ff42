package io.journal.bench;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalReader;
import io.journal.store.Backend;
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
    private static final int POLL_LIMIT = 64;
    private static final int END_SECONDS = 20;
    private static final double NS_PER_S = 1e9;

    private final Histogram latencies = new Histogram(3);
    private final CountDownLatch reading = new CountDownLatch(1);
    private final ByteBuffer content;
    private final IdleStrategy idle;
    private final long intervalNs;
    private final long warmUpCount;
    private final long count;
    private long found;
    private volatile Throwable failure;

    private FollowTrial(
        final IdleStrategy idle,
        final int rate,
        final int recordLength,
        final long warmUpMs,
        final long countedMs)
    {
        this.idle = idle;
        intervalNs = Math.max(1, (long)NS_PER_S / rate);
        warmUpCount = TimeUnit.MILLISECONDS.toNanos(warmUpMs) / intervalNs;
        count = warmUpCount + TimeUnit.MILLISECONDS.toNanos(countedMs) / intervalNs;
        content = ByteBuffer.allocateDirect(recordLength).order(ByteOrder.LITTLE_ENDIAN);
    }

    /**
     * Arguments: directory, backend, how the reader waits, records a second, length of a record, length of a segment,
     * milliseconds before counting, milliseconds that count.
     */
    public static void main(final String[] args) throws InterruptedException
    {
        Child.endWithParent();
        final FollowTrial trial = new FollowTrial(
            idle(Follow.Idle.valueOf(args[2])), Integer.parseInt(args[3]), Integer.parseInt(args[4]),
            Long.parseLong(args[6]), Long.parseLong(args[7]));
        try (Journal journal = Journal.builder(Path.of(args[0]).resolve("journal"))
            .backend(Backend.valueOf(args[1]))
            .segmentLength(Integer.parseInt(args[5]))
            .open())
        {
            trial.run(journal);
        }
        Percentiles.print(trial.latencies);
    }

    private static IdleStrategy idle(final Follow.Idle idle)
    {
        return Follow.Idle.SPIN == idle ? new BusySpinIdleStrategy() : new BackoffIdleStrategy();
    }

    private void run(final Journal journal) throws InterruptedException
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
        long dueNs = System.nanoTime();
        for (long i = 0; i < count; i++)
        {
            dueNs += intervalNs;
            while (System.nanoTime() - dueNs < 0)
            {
                Thread.onSpinWait();
            }
            content.putLong(0, dueNs);
            appender.append(i, content.clear());
        }
    }

    private void follow(final Journal journal)
    {
        try (JournalReader reader = journal.openReader())
        {
            reading.countDown();
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
        catch (final Throwable ex)
        {
            failure = ex;
        }
    }
}
