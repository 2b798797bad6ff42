package io.journal.peers;

import java.util.Map;
import java.util.concurrent.FutureTask;

import org.HdrHistogram.Histogram;

/**
 * One thread appends at a fixed rate while another one reads each record as soon as it can: the latency from the time a
 * record was due to be appended until the follower has it. Both spin.
 */
final class FollowedTrial
{
    private static final long MAX_DELAY_MS = 10_000;

    private FollowedTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        final Source source = new Source(measured.recordLength());
        final long warmUp = (long)PacedTrial.WARM_UP_MS * PacedTrial.RECORDS_PER_MS;
        final long count = warmUp + measured.amount() * PacedTrial.RECORDS_PER_MS;
        try (Peer peer = measured.peer().open(settings); Peer.Follower follower = peer.openFollower())
        {
            final Deliveries deliveries = new Deliveries(System.nanoTime(), warmUp);
            final FutureTask<Void> following = new FutureTask<>(() ->
            {
                while (deliveries.digest.count() < count && !deliveries.isStopped)
                {
                    follower.poll(deliveries);
                    Thread.onSpinWait();
                }
                return null;
            });
            final Thread thread = new Thread(following);
            thread.setDaemon(true);
            thread.start();
            try
            {
                append(peer, source, measured.recordLength(), deliveries.startNs, count);
                thread.join(MAX_DELAY_MS);
            }
            finally
            {
                // Nobody may read what is closed.
                deliveries.isStopped = true;
                thread.join();
            }
            following.get();
            source.check(deliveries.digest);
            return PacedTrial.percentiles(deliveries.sinceDue);
        }
    }

    private static void append(
        final Peer peer, final Source source, final int length, final long startNs, final long count) throws Exception
    {
        for (long number = 0; number < count; number++)
        {
            final int offset = source.next(length);
            while (System.nanoTime() - due(startNs, number) < 0)
            {
                Thread.onSpinWait();
            }
            peer.append(source.bytes(), offset, length);
        }
    }

    private static long due(final long startNs, final long number)
    {
        return startNs + number * PacedTrial.INTERVAL_NS;
    }

    /** What the follower received. */
    private static final class Deliveries implements Peer.Visitor
    {
        private final Histogram sinceDue = new Histogram(3);
        private final Digest digest = new Digest();
        private final long startNs;
        private final long warmUp;
        private volatile boolean isStopped;

        Deliveries(final long startNs, final long warmUp)
        {
            this.startNs = startNs;
            this.warmUp = warmUp;
        }

        @Override
        public void visit(final long first, final long last, final int length)
        {
            final long number = digest.count();
            digest.visit(first, last, length);
            if (number >= warmUp)
            {
                sinceDue.recordValue(System.nanoTime() - due(startNs, number));
            }
        }
    }
}
