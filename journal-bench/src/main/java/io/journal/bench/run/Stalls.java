package io.journal.bench.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;

/**
 * A thread that wakes up every millisecond and records how late it is scheduled: the latency that other processes see
 * meanwhile.
 */
public final class Stalls implements AutoCloseable
{
    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final double NS_PER_US = 1e3;

    private final Histogram late = new Histogram(3);
    private final Thread thread = new Thread(this::run, "stalls");
    private volatile boolean isStopped;

    private Stalls()
    {
        thread.setDaemon(true);
        thread.start();
    }

    public static Stalls start()
    {
        return new Stalls();
    }

    /**
     * Stops the thread and prints its scheduling delays.
     *
     * @param prefix of the keys.
     */
    public void print(final String prefix) throws InterruptedException
    {
        close();
        thread.join();
        System.out.println(prefix + "StallP99Us=" + late.getValueAtPercentile(99) / NS_PER_US);
        System.out.println(prefix + "StallMaxUs=" + late.getMaxValue() / NS_PER_US);
    }

    @Override
    public void close()
    {
        isStopped = true;
    }

    private void run()
    {
        do
        {
            final long dueNs = System.nanoTime() + INTERVAL_NS;
            LockSupport.parkNanos(INTERVAL_NS);
            // Corrects for coordinated omission: a long stall also delays the wake-ups due within it.
            late.recordValueWithExpectedInterval(Math.max(0, System.nanoTime() - dueNs), INTERVAL_NS);
        }
        while (!isStopped);
    }
}
