package io.journal.peers;

import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Reads all records again and again, in the process that appended them, with a warm page cache.
 */
final class ReplayTrial
{
    private static final long WARM_UP_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MEASURED_NS = TimeUnit.MILLISECONDS.toNanos(700);
    private static final double NS_PER_S = TimeUnit.SECONDS.toNanos(1);

    private ReplayTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        final Source source = new Source(measured.recordLength());
        try (Peer peer = measured.peer().open(settings))
        {
            source.append(peer, measured.count(), measured.recordLength());
            peer.flush();
            source.check(peer);
            rate(peer, WARM_UP_NS);
            return Map.of(Trial.RATE, rate(peer, MEASURED_NS));
        }
    }

    private static double rate(final Peer peer, final long minNs) throws Exception
    {
        final Digest found = new Digest();
        final long start = System.nanoTime();
        long durationNs = 0;
        while (durationNs < minNs)
        {
            peer.replay(found);
            durationNs = System.nanoTime() - start;
        }
        return found.count() * NS_PER_S / durationNs;
    }
}
