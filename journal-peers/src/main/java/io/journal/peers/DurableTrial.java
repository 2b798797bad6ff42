package io.journal.peers;

import java.util.Map;

import io.journal.bench.journal.Records;

/**
 * Threads that each append a record, wait until it is durable, and append the next.
 */
final class DurableTrial
{
    private DurableTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        final int length = measured.recordLength();
        final byte[] bytes = new Records(length).bytes();
        try (Peer peer = measured.peer().open(settings))
        {
            final Workers workers = new Workers();
            for (int i = 0; i < measured.threads(); i++)
            {
                workers.add((number) -> peer.appendDurably(bytes, Records.offset(number), length));
            }
            final Map<String, Double> values = workers.run(measured.amount());
            checkCount(peer, workers.count());
            return values;
        }
    }

    /** Compares the number of records; their order depends on the threads. */
    static void checkCount(final Peer peer, final long appended) throws Exception
    {
        final Digest found = new Digest();
        peer.replay(found);
        if (found.count() != appended)
        {
            throw new IllegalStateException(
                "replay differs: appended=" + appended + ", replayed=" + found.count());
        }
    }
}
