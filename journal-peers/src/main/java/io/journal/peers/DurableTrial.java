package io.journal.peers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.journal.bench.journal.Records;
import org.HdrHistogram.Histogram;

/**
 * Threads that each append a record, wait until it is durable, and append the next.
 */
final class DurableTrial
{
    static final String P50 = "p50, us";
    static final String P99 = "p99, us";
    private static final long WARM_UP_MS = 500;
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);
    private static final double NS_PER_US = 1000;

    private final Peer peer;
    private final byte[] bytes;
    private final int recordLength;
    private volatile boolean isCounting;
    private volatile boolean isStopped;

    private DurableTrial(final Peer peer, final int recordLength)
    {
        this.peer = peer;
        this.recordLength = recordLength;
        bytes = new Records(recordLength).bytes();
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        try (Peer peer = measured.peer().open(settings))
        {
            return new DurableTrial(peer, measured.recordLength()).run(measured.threads(), measured.amount());
        }
    }

    private Map<String, Double> run(final int threads, final long measuredMs) throws Exception
    {
        final List<Worker> workers = new ArrayList<>();
        for (int i = 0; i < threads; i++)
        {
            workers.add(new Worker());
        }
        workers.forEach(Thread::start);

        Thread.sleep(WARM_UP_MS);
        isCounting = true;
        final long start = System.nanoTime();
        final long before = count(workers);
        Thread.sleep(measuredMs);
        final long counted = count(workers) - before;
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
        checkCount(count(workers));

        final Map<String, Double> values = new LinkedHashMap<>();
        values.put(Trial.RATE, counted * NS_PER_S / durationNs);
        values.put(P50, latencies.getValueAtPercentile(50) / NS_PER_US);
        values.put(P99, latencies.getValueAtPercentile(99) / NS_PER_US);
        return values;
    }

    private static long count(final List<Worker> workers)
    {
        return workers.stream().mapToLong((worker) -> worker.count).sum();
    }

    private void checkCount(final long acknowledged) throws Exception
    {
        final Digest found = new Digest();
        peer.replay(found);
        if (found.count() != acknowledged)
        {
            throw new IllegalStateException(
                "replay differs: acknowledged=" + acknowledged + ", replayed=" + found.count());
        }
    }

    /** One of the threads that append. */
    private final class Worker extends Thread
    {
        private final Histogram latencies = new Histogram(3);
        private volatile long count;
        private Exception failure;

        Worker()
        {
            setDaemon(true);
        }

        @Override
        public void run()
        {
            try
            {
                while (!isStopped)
                {
                    append();
                }
            }
            catch (final Exception ex)
            {
                failure = ex;
            }
        }

        private void append() throws Exception
        {
            final long next = count;
            final long start = System.nanoTime();
            peer.appendDurably(bytes, Records.offset(next), recordLength);
            if (isCounting)
            {
                latencies.recordValue(System.nanoTime() - start);
            }
            count = next + 1;
        }
    }
}
