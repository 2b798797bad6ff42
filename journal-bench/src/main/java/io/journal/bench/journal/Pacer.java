package io.journal.bench.journal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * A schedule at a fixed rate that does not slow down after a stall, so that the delay of every event is measured (no
 * coordinated omission).
 */
final class Pacer
{
    private static final long WAKE_UP_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    private final long startNs = System.nanoTime();
    private final double intervalNs;
    private long count;

    /**
     * @param rate events per second.
     */
    Pacer(final long rate)
    {
        intervalNs = (double)NS_PER_S / rate;
    }

    /**
     * When the n-th event is due, the first being 1.
     */
    long dueNs(final long number)
    {
        return startNs + (long)(number * intervalNs);
    }

    /**
     * Waits until the next event is due; parks rather than spins while there is enough time.
     *
     * @return when it was due, possibly in the past.
     */
    long next()
    {
        final long dueNs = dueNs(++count);
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
}
