package io.journal.peers;

import java.util.Map;

/**
 * One thread that appends while a number of its records are not durable yet: what a framework does that never waits
 * for a single record.
 */
final class PipelinedTrial
{
    private PipelinedTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        final int length = measured.recordLength();
        final Source source = new Source(length);
        try (Peer peer = measured.peer().open(settings))
        {
            final Workers workers = new Workers();
            workers.add(
                (number) -> peer.appendPipelined(source.bytes(), source.next(length), length, measured.threads()));
            final Map<String, Double> values = workers.run(measured.amount());
            source.check(peer);
            // The duration of a call is the time until an earlier record is durable.
            return Map.of(Trial.RATE, values.get(Trial.RATE));
        }
    }
}
