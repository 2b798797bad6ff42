package io.journal.peers;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;

/**
 * One thread appends at a fixed rate and spins in between: the duration of the calls, and the latency from the time a
 * record was due, so that a stall counts for every record that it delayed.
 */
final class PacedTrial
{
    static final String CALL_P50 = "call p50, ns";
    static final String P50 = "p50, us";
    static final String P99 = "p99, us";
    static final String P99_9 = "p99.9, us";
    static final String P99_99 = "p99.99, us";
    private static final int RECORDS_PER_S = 100_000;
    static final long INTERVAL_NS = TimeUnit.SECONDS.toNanos(1) / RECORDS_PER_S;
    static final int RECORDS_PER_MS = RECORDS_PER_S / 1000;
    static final int WARM_UP_MS = 1000;
    private static final double NS_PER_US = 1000;

    private PacedTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        final Source source = new Source(measured.recordLength());
        final Latencies latencies = new Latencies();
        try (Peer peer = measured.peer().open(settings))
        {
            append(peer, source, measured.recordLength(), WARM_UP_MS, new Latencies());
            append(peer, source, measured.recordLength(), measured.amount(), latencies);
            peer.flush();
            source.check(peer);
        }

        final Map<String, Double> values = percentiles(latencies.sinceDue);
        values.put(CALL_P50, (double)latencies.calls.getValueAtPercentile(50));
        return values;
    }

    /** Of latencies since a record was due. */
    static Map<String, Double> percentiles(final Histogram sinceDue)
    {
        final Map<String, Double> values = new LinkedHashMap<>();
        values.put(P50, sinceDue.getValueAtPercentile(50) / NS_PER_US);
        values.put(P99, sinceDue.getValueAtPercentile(99) / NS_PER_US);
        values.put(P99_9, sinceDue.getValueAtPercentile(99.9) / NS_PER_US);
        values.put(P99_99, sinceDue.getValueAtPercentile(99.99) / NS_PER_US);
        return values;
    }

    private static void append(
        final Peer peer, final Source source, final int length, final long durationMs, final Latencies latencies)
        throws Exception
    {
        final long count = durationMs * RECORDS_PER_MS;
        final byte[] bytes = source.bytes();
        long due = System.nanoTime();
        for (long i = 0; i < count; i++)
        {
            due += INTERVAL_NS;
            final int offset = source.next(length);
            long start = System.nanoTime();
            while (start < due)
            {
                Thread.onSpinWait();
                start = System.nanoTime();
            }
            peer.append(bytes, offset, length);
            final long end = System.nanoTime();
            latencies.calls.recordValue(end - start);
            latencies.sinceDue.recordValue(end - due);
        }
    }

    /** What is recorded of each call, in nanoseconds. */
    private static final class Latencies
    {
        private final Histogram calls = new Histogram(3);
        private final Histogram sinceDue = new Histogram(3);
    }
}
