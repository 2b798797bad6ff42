package io.journal.bench.workload;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.bench.run.Arguments;
import org.HdrHistogram.Histogram;

/**
 * A schedule of appends at a fixed rate that does not slow down after a stall, so that the delay of every record is
 * measured (no coordinated omission). The first records are warm-up. Numbers start at 1. One thread appends; another
 * one may record latencies.
 */
final class Pacer
{
    private static final int MS_PER_S = 1000;
    private static final double NS_PER_S = 1e9;
    private static final long WAKE_UP_NS = TimeUnit.MICROSECONDS.toNanos(200);

    final long rate;
    final long count;
    final Histogram latencies = new Histogram(3);
    private final double intervalNs;
    /** Number of the last record of the warm-up: may be lowered by the appending thread before the next one. */
    volatile long warmUpCount;
    private long startNs;
    private long paced;

    Pacer(final Arguments args)
    {
        rate = args.number("rate");
        warmUpCount = args.number("warmUpMs") * rate / MS_PER_S;
        count = warmUpCount + Math.max(1, args.number("ms") * rate / MS_PER_S);
        intervalNs = NS_PER_S / rate;
    }

    void start()
    {
        startNs = System.nanoTime();
    }

    long dueNs(final long number)
    {
        return startNs + (long)(number * intervalNs);
    }

    /** Waits until the next record is due, parking while there is enough time; returns when it was due. */
    long next()
    {
        final long dueNs = dueNs(++paced);
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

    /** Records the latency of a record unless it is warm-up. */
    void record(final long number, final long latencyNs)
    {
        if (number > warmUpCount && number <= count)
        {
            latencies.recordValue(Math.max(0, latencyNs));
        }
    }
}
