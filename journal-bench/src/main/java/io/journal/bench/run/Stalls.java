package io.journal.bench.run;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.HdrHistogram.Histogram;

/**
 * A thread that wants the processor every millisecond for a moment, and counts how late it gets it: what anyone else
 * on the machine has to suffer meanwhile.
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
    }

    public static Stalls start()
    {
        final Stalls stalls = new Stalls();
        stalls.thread.start();
        return stalls;
    }

    /**
     * Ends it, and prints how late it was.
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
            // A long stall stands for all the times in it that it would have wanted the processor again.
            late.recordValueWithExpectedInterval(Math.max(0, System.nanoTime() - dueNs), INTERVAL_NS);
        }
        while (!isStopped);
    }
}
