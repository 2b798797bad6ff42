package io.journal.bench.workload;

import java.util.ArrayList;
import java.util.List;

import io.journal.bench.run.Child;
import org.HdrHistogram.Histogram;

/**
 * Threads that each repeat a call for a given time, after a warm-up.
 */
final class Workers
{
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;

    private final long warmUpMs;
    private final List<Worker> workers = new ArrayList<>();
    private final Histogram latencies = new Histogram(3);
    private double rate;
    private volatile boolean isCounting;
    private volatile boolean isStopped;

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

    /** Runs all of them until the time has passed. */
    void run(final long measuredMs) throws Exception
    {
        workers.forEach(Thread::start);
        Thread.sleep(warmUpMs);
        isCounting = true;
        final long start = System.nanoTime();
        final long before = count();
        Thread.sleep(measuredMs);
        rate = (count() - before) * NS_PER_S / (System.nanoTime() - start);
        isStopped = true;
        for (final Worker worker : workers)
        {
            worker.join();
            if (null != worker.failure)
            {
                throw worker.failure;
            }
            latencies.add(worker.latencies);
        }
    }

    /** Calls of all threads per second. */
    double rate()
    {
        return rate;
    }

    /** Prints percentiles of the duration of a call. */
    void printPercentiles()
    {
        Child.print("p50Us", latencies.getValueAtPercentile(50) / NS_PER_US);
        Child.print("p99Us", latencies.getValueAtPercentile(99) / NS_PER_US);
        Child.print("maxUs", latencies.getMaxValue() / NS_PER_US);
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
            catch (final Exception ex)
            {
                failure = ex;
            }
        }
    }
}
