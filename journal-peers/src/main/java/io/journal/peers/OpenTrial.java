package io.journal.peers;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * Opens what a killed process left: from the call that opens to the return of the first append.
 * <p>
 * One process fills and kills itself, the next one opens. The opening process is warm: it filled and opened small
 * journals before.
 */
final class OpenTrial
{
    static final String FILL = "fill";
    static final String REOPEN = "reopen";
    static final String OPEN_MS = "open, ms";
    /** Bytes of records, of {@link Workload#OPEN_DURABLE}. */
    static final int NOT_DURABLE = 4 * 1024 * 1024;
    static final String LOST = "records lost";
    private static final String LEFT = "left";
    private static final int WARM_UPS = 3;
    private static final int WARM_UP_RECORDS = 10_000;
    private static final double NS_PER_MS = TimeUnit.MILLISECONDS.toNanos(1);

    private OpenTrial()
    {
    }

    static Map<String, Double> run(final Case measured, final PeerSettings settings, final String step)
        throws Exception
    {
        if (FILL.equals(step))
        {
            fillAndDie(measured, settings.withDirectory(LEFT));
        }
        for (int i = 0; i < WARM_UPS; i++)
        {
            warmUp(measured, settings.withDirectory("warm-up-" + i));
        }
        return reopen(measured, settings.withDirectory(LEFT));
    }

    private static void fillAndDie(final Case measured, final PeerSettings settings) throws Exception
    {
        final Peer peer = measured.peer().open(settings);
        final Source source = new Source(measured.recordLength());
        if (Workload.OPEN_DURABLE == measured.workload())
        {
            appendDurably(measured, peer, source);
        }
        else
        {
            source.append(peer, measured.count(), measured.recordLength());
        }
        peer.flush();
        new ProcessBuilder("kill", "-9", String.valueOf(ProcessHandle.current().pid())).start().waitFor();
        throw new IllegalStateException("not killed");
    }

    /** Waits for an fsync each time after {@link #NOT_DURABLE} bytes, but for the last ones. */
    private static void appendDurably(final Case measured, final Peer peer, final Source source) throws Exception
    {
        final long step = Math.max(1, NOT_DURABLE / measured.recordLength());
        long left = measured.count();
        while (left > step)
        {
            final long count = Math.min(step, left - step);
            source.append(peer, count - 1, measured.recordLength());
            peer.appendDurably(source.bytes(), source.next(measured.recordLength()), measured.recordLength());
            left -= count;
        }
        source.append(peer, left, measured.recordLength());
    }

    private static void warmUp(final Case measured, final PeerSettings settings) throws Exception
    {
        final Source source = new Source(measured.recordLength());
        try (Peer peer = measured.peer().open(settings))
        {
            source.append(peer, Math.min(WARM_UP_RECORDS, measured.count()), measured.recordLength());
        }
        try (Peer peer = measured.peer().open(settings))
        {
            source.append(peer, 1, measured.recordLength());
            source.check(peer);
        }
    }

    private static Map<String, Double> reopen(final Case measured, final PeerSettings settings) throws Exception
    {
        final Source source = new Source(measured.recordLength());
        final long start = System.nanoTime();
        try (Peer peer = measured.peer().open(settings))
        {
            source.append(peer, 1, measured.recordLength());
            final double openMs = (System.nanoTime() - start) / NS_PER_MS;

            final Digest found = new Digest();
            peer.replay(found);
            final Map<String, Double> values = new LinkedHashMap<>();
            values.put(OPEN_MS, openMs);
            values.put(LOST, (double)(measured.count() + 1 - found.count()));
            return values;
        }
    }
}
