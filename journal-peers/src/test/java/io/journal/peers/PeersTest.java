package io.journal.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import java.util.Map;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every case compares what it replays with what it appended, and fails if they differ.
 */
class PeersTest
{
    private static final int RECORDS = 1000;
    private static final int RECORD_LENGTH = 256;
    private static final int SEGMENT_LENGTH = 4 * 1024 * 1024;
    private static final int MS = 100;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(PeerKind.class)
    void peerReplaysWhatItAppended(final PeerKind peer) throws Exception
    {
        final Map<String, Double> values = run(peer, Workload.PREPARED, RECORDS * RECORD_LENGTH, 1);

        assertTrue(values.get(Trial.RATE) > 0, values.toString());
    }

    @ParameterizedTest
    @EnumSource(PeerKind.class)
    void threadsAppendDurablyAtOnce(final PeerKind peer) throws Exception
    {
        final Map<String, Double> values = run(peer, Workload.DURABLE, MS, 2);

        assertTrue(values.containsKey(DurableTrial.P99), values.toString());
    }

    @ParameterizedTest
    @EnumSource(PeerKind.class)
    void killedPeerOpensAgain(final PeerKind peer) throws Exception
    {
        assumeTrue(peer.canReopen(), "not compared: opening after a kill");

        final Map<String, Double> values = run(peer, Workload.OPEN, RECORDS * RECORD_LENGTH, 1);

        if (peer.isJournal())
        {
            assertEquals(0, values.get(OpenTrial.LOST));
        }
    }

    private Map<String, Double> run(
        final PeerKind peer, final Workload workload, final long amount, final int threads) throws Exception
    {
        return new CaseRunner(directory).run(
            new Case(peer, workload, RECORD_LENGTH, SEGMENT_LENGTH, amount, threads));
    }
}
