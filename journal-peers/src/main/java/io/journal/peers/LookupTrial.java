package io.journal.peers;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Threads that each read single records at random, with a warm page cache, from as many as a consensus library keeps.
 */
final class LookupTrial
{
    static final int RECORDS = 100_000;
    // Of one measured call: its own cost must not count.
    private static final int BATCH = 128;
    private static final long SEED = 42;
    // Threads that read all the time leave the JIT compiler little of two processors: the journal took two seconds.
    private static final long WARM_UP_MS = 4000;

    private LookupTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings) throws Exception
    {
        final Source source = new Source(measured.recordLength());
        try (Peer peer = measured.peer().open(settings))
        {
            source.append(peer, RECORDS, measured.recordLength());
            peer.flush();
            source.check(peer);

            final Workers workers = new Workers(WARM_UP_MS);
            final List<Peer.Lookup> lookups = new ArrayList<>();
            for (int i = 0; i < measured.threads(); i++)
            {
                final Peer.Lookup lookup = peer.openLookup();
                final long seed = SEED + i;
                lookups.add(lookup);
                // Made by the thread that changes them: beside those of others they would share cache lines.
                final ThreadLocal<SplittableRandom> randoms =
                    ThreadLocal.withInitial(() -> new SplittableRandom(seed));
                final ThreadLocal<Found> founds = ThreadLocal.withInitial(Found::new);
                workers.add((ignored) -> readBatch(lookup, randoms.get(), founds.get(), source));
            }
            final Map<String, Double> values = workers.run(measured.amount());
            lookups.forEach(Peer.Lookup::close);
            return Map.of(Trial.RATE, BATCH * values.get(Trial.RATE));
        }
    }

    private static void readBatch(
        final Peer.Lookup lookup, final SplittableRandom random, final Found found, final Source source)
        throws Exception
    {
        for (int i = 0; i < BATCH; i++)
        {
            read(lookup, random.nextInt(RECORDS), found, source);
        }
    }

    private static void read(final Peer.Lookup lookup, final int number, final Found found, final Source source)
        throws Exception
    {
        found.count = 0;
        lookup.read(number, found);
        if (1 != found.count || source.first(number) != found.first)
        {
            throw new IllegalStateException("not the record that was appended: number=" + number);
        }
    }

    /** What a lookup passed on. */
    private static final class Found implements Peer.Visitor
    {
        private long first;
        private int count;

        @Override
        public void visit(final long firstWord, final long last, final int length)
        {
            first = firstWord;
            count++;
        }
    }
}
