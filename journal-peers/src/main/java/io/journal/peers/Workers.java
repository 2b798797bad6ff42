package io.journal.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

/**
 * Threads that each repeat a call for a given time.
 */
final class Workers
{
    static final String P50 = "p50, us";
    static final String P99 = "p99, us";
    private static final long WARM_UP_MS = 500;
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);
    private static final double NS_PER_US = 1000;

    private final long warmUpMs;
    private final List<Worker> workers = new ArrayList<>();
    private volatile boolean isCounting;
    private volatile boolean isStopped;

    Workers()
    {
        this(WARM_UP_MS);
    }

    /**
     * @param warmUpMs before anything is counted.
     */
    Workers(final long warmUpMs)
    {
        this.warmUpMs = warmUpMs;
    }

    /** What a thread repeats. */
    interface Call
    {
        /** Runs once more; the number counts the calls of this thread from 0. */
        void run(long number) throws Exception;
    }

    /** One more thread, which starts with the others. */
    void add(final Call call)
    {
        workers.add(new Worker(call));
    }

    /**
     * Runs all of them until the time has passed.
     *
     * @return calls of all threads per second, and percentiles of their duration, after a warm-up.
     */
    Map<String, Double> run(final long measuredMs) throws Exception
    {
        workers.forEach(Thread::start);
        Thread.sleep(warmUpMs);
        isCounting = true;
        final long start = System.nanoTime();
        final long before = count();
        Thread.sleep(measuredMs);
        final long counted = count() - before;
        final long durationNs = System.nanoTime() - start;
        isStopped = true;

        final Histogram latencies = new Histogram(3);
        for (final Worker worker : workers)
        {
            worker.join();
            if (null != worker.failure)
            {
                throw worker.failure;
            }
            latencies.add(worker.latencies);
        }
        final Map<String, Double> values = new LinkedHashMap<>();
        values.put(Trial.RATE, counted * NS_PER_S / durationNs);
        values.put(P50, latencies.getValueAtPercentile(50) / NS_PER_US);
        values.put(P99, latencies.getValueAtPercentile(99) / NS_PER_US);
        return values;
    }

    /** Calls that returned, of all threads, with those of the warm-up. */
    long count()
    {
        return workers.stream().mapToLong((worker) -> worker.count).sum();
    }

    /** One of the threads. */
    private final class Worker extends Thread
    {
        private final Histogram latencies = new Histogram(3);
        private final Call call;
        private volatile long count;
        private Exception failure;

        Worker(final Call call)
        {
            this.call = call;
            setDaemon(true);
        }

        @Override
        public void run()
        {
            try
            {
                while (!isStopped)
                {
                    repeat();
                }
            }
            catch (final Exception ex)
            {
                failure = ex;
            }
        }

        private void repeat() throws Exception
        {
            final long next = count;
            final long start = System.nanoTime();
            call.run(next);
            if (isCounting)
            {
                latencies.recordValue(System.nanoTime() - start);
            }
            count = next + 1;
        }
    }
}
