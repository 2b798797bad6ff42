package io.journal.peers;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Every case compares what it replays with what it appended, and fails if they differ.
 */
@Tag("soak")
class PeersTest
{
    private static final int RECORDS = 1000;
    private static final int RECORD_LENGTH = 256;
    private static final int SEGMENT_LENGTH = 4 * 1024 * 1024;
    private static final int MS = 500;

    @TempDir
    private Path directory;

    /** Each case checks by itself that no record is missing. */
    @ParameterizedTest
    @MethodSource
    void eachWorkloadHasAResult(final PeerKind peer, final Workload workload, final int threads) throws Exception
    {
        final long amount = workload.isTimed() ? MS : RECORDS * RECORD_LENGTH;

        final Map<String, Double> values = run(peer, workload, amount, threads);

        assertTrue(values.get(workload.mainValue()) > 0, values.toString());
        if (Workload.DURABLE == workload)
        {
            assertTrue(values.containsKey(Workers.P99), values.toString());
        }
        if (workload.isOpening() && peer.isJournal())
        {
            assertEquals(0, values.get(OpenTrial.LOST));
        }
    }

    static Stream<Arguments> eachWorkloadHasAResult()
    {
        return Stream.of(PeerKind.values()).flatMap(
            (peer) -> Stream.of(Workload.values()).filter(peer::measures).map(
                (workload) -> Arguments.of(peer, workload, workload.isByThreads() ? 2 : 1)));
    }

    private Map<String, Double> run(
        final PeerKind peer, final Workload workload, final long amount, final int threads) throws Exception
    {
        return new CaseRunner(directory).run(
            new Case(peer, workload, RECORD_LENGTH, SEGMENT_LENGTH, amount, threads));
    }
}
