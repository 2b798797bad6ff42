package io.journal.bench.journal;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The times at which something is due, at a fixed rate, whether or not what was due before is done: what waits behind a
 * stall is late by all of it.
 */
final class Pace
{
    private static final long WAKE_UP_NS = TimeUnit.MICROSECONDS.toNanos(200);
    private static final long NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    private final long startNs = System.nanoTime();
    private final double intervalNs;
    private long count;

    /**
     * @param rate a second.
     */
    Pace(final long rate)
    {
        intervalNs = (double)NS_PER_S / rate;
    }

    /**
     * When the one of a number is due, the first being 1.
     */
    long dueNs(final long number)
    {
        return startNs + (long)(number * intervalNs);
    }

    /**
     * Waits until the next one is due; sleeps while there is time for it, since others may need the processor.
     *
     * @return when it was due, which may be long ago.
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
