// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import org.agrona.IoUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Records, snapshots and prunes on Aeron Cluster, with all members in this process. */
@Tag("slow")
class ReplicationTest
{
    private static final Duration PATIENCE = Duration.ofMinutes(10);
    private static final int RECORDS = 2_000;
    // A thousand such records fill a file of the log, and a segment of the journal.
    private static final byte[] LONG_RECORD = new byte[1_000];

    @TempDir
    private Path directory;
    private TestCluster cluster;
    private ReplicatedJournal journal;

    @BeforeEach
    void start()
    {
        cluster = new TestCluster(directory);
        journal = cluster.writer().connect();
    }

    @AfterEach
    void close()
    {
        journal.close();
        cluster.close();
    }

    @Test
    void eachMemberHasEachRecordOnceInOrder()
    {
        final AtomicLong notified = new AtomicLong();
        journal.onForced(notified::set);
        append(1, RECORDS);
        journal.awaitForced(RECORDS / 2);
        assertTrue(journal.forcedSequence() >= RECORDS / 2);
        journal.close();
        assertEquals(RECORDS, notified.get());

        assertRecords(RECORDS);
    }

    @Test
    void recordsInFlightAreThereOnceIfTheLeaderIsLost()
    {
        append(1, RECORDS / 2);
        final int leader = cluster.leader().memberId();
        cluster.stop(leader);
        append(RECORDS / 2 + 1, RECORDS);
        journal.force();
        assertEquals(RECORDS, journal.forcedSequence());
        assertTrue(journal.counters().leaderChanges() > 1);

        cluster.start(leader);
        assertRecords(RECORDS);
    }

    @Test
    void writerIsFencedByTheNext()
    {
        append(1, 1);
        journal.force();
        assertEquals(1, journal.epoch());
        try (ReplicatedJournal next = cluster.writer().connect())
        {
            assertEquals(2, next.epoch());
            assertEquals(1, next.lastSequence());
            TestCluster.await("the old writer to be fenced", () -> WriterState.FENCED == journal.state());
            assertEquals(2, assertThrows(FencedException.class, () -> append(2, 2)).newEpoch());
            next.appender().append(14, text(2));
            next.force();
        }
        assertRecords(2);
    }

    @Test
    void writerNeedsNotEachAddressAndGetsTheLimitOfTheMembers()
    {
        final String partly = "a..b:9000" + cluster.addresses.substring(cluster.addresses.indexOf(','));
        try (ReplicatedJournal other = TestCluster.writer(directory, partly)
            .maxRecordLength(2 * TestCluster.MAX_RECORD_LENGTH).connect())
        {
            assertEquals(TestCluster.MAX_RECORD_LENGTH, other.appender().maxRecordLength());
            other.appender().append(new byte[TestCluster.MAX_RECORD_LENGTH]);
            other.force();
        }
    }

    @Test
    void nothingIsPrunedThatAMemberHasNotPutIntoASnapshot()
    {
        appendLong(10);

        assertEquals(1, journal.prune(10, PATIENCE));
        takeSnapshot();
        TestCluster.await("confirmed snapshots", () -> 9 == journal.prune(9, PATIENCE));
        appendLong(10);
        assertEquals(11, journal.prune(20, PATIENCE));
    }

    @Test
    void eachOfTwoPrunesAtOnceGetsItsOwnAnswer()
    {
        appendLong(10);
        takeSnapshot();
        TestCluster.await("confirmed snapshots", () -> 2 == journal.prune(2, PATIENCE));

        final CompletableFuture<Long> other = CompletableFuture.supplyAsync(() -> journal.prune(4, PATIENCE));
        assertEquals(3, journal.prune(3, PATIENCE));
        assertEquals(4, other.join());
    }

    @Test
    void memberThatWasDownStartsFromItsSnapshotAfterAPrune()
    {
        appendLong(5_000);
        takeSnapshot();
        TestCluster.await("confirmed snapshots", () -> 4_000 == journal.prune(4_000, PATIENCE));
        final int follower = cluster.follower();
        cluster.stop(follower);
        appendLong(1_000);
        cluster.start(follower);
        cluster.awaitApplied(6_000);

        for (int i = 0; i < 3; i++)
        {
            try (ReadOnlyJournal read = Journal.openReadOnly(cluster.directory(i).resolve("journal")))
            {
                assertTrue(read.firstSequence() > 2_000 && read.firstSequence() <= 4_000, read::toString);
                assertEquals(6_000, read.lastSequence());
            }
            final Path first = archive(i).resolve("0-0.rec");
            TestCluster.await("a truncated log", () -> !Files.exists(first));
        }
    }

    @Test
    void pruneDeletesOlderSnapshots()
    {
        for (int i = 1; i <= 2; i++)
        {
            appendLong(10);
            takeSnapshot();
        }
        TestCluster.await("confirmed snapshots", () -> 20 == journal.prune(20, PATIENCE));

        for (int i = 0; i < 3; i++)
        {
            final Path archive = archive(i);
            // Three recordings remain: the log, and the newest snapshots of the consensus module and of the service.
            TestCluster.await("older snapshots to be deleted", () -> 3 == recordings(archive).size());
        }
    }

    @Test
    void wipedMemberIsSeededFromTheLeader()
    {
        appendLong(1_500);
        takeSnapshot();
        TestCluster.await("confirmed snapshots", () -> 1_400 == journal.prune(1_400, PATIENCE));
        final int follower = cluster.follower();
        cluster.stop(follower);
        IoUtil.delete(cluster.directory(follower).toFile(), false);
        appendLong(500);

        // Seed from a running member, with a record in flight.
        journal.appender().append(LONG_RECORD);
        final long seeded = MemberSeed.copy(
            cluster.directory(cluster.leader().memberId()), cluster.directory(follower), follower);
        assertTrue(seeded >= 2_000, () -> "seeded=" + seeded);
        cluster.start(follower);
        appendLong(500);

        cluster.awaitApplied(journal.lastSequence());
    }

    @Test
    void memberOfAnotherVersionEnds()
    {
        final int follower = cluster.follower();
        cluster.stop(follower);
        final JournalMember.Builder builder = cluster.builder(follower);
        builder.version = Protocol.VERSION + 1;
        try (JournalMember member = builder.start())
        {
            TestCluster.await("the member to end", () -> null != member.failure());
            final String message = member.failure().getMessage();
            assertTrue(message.contains("another version of the protocol: version=2; run the same"), message);
        }
    }

    private void append(final long first, final long last)
    {
        for (long i = first; i <= last; i++)
        {
            assertEquals(i, journal.appender().append(i * 7, text(i)));
        }
    }

    private static byte[] text(final long sequence)
    {
        return ("record " + sequence).getBytes(StandardCharsets.UTF_8);
    }

    private void appendLong(final int count)
    {
        for (int i = 0; i < count; i++)
        {
            journal.appender().append(LONG_RECORD);
        }
        journal.force();
    }

    /** Takes snapshots of all members up to the last record. */
    private void takeSnapshot()
    {
        final long last = journal.lastSequence();
        cluster.awaitApplied(last);
        TestCluster.await("a snapshot", () -> cluster.leader().requestSnapshot());
        for (int i = 0; i < 3; i++)
        {
            final JournalMember member = cluster.member(i);
            TestCluster.await("the snapshot of " + member, () -> last == member.snapshotSequence());
        }
    }

    private void assertRecords(final long last)
    {
        cluster.awaitApplied(last);
        final List<String> expected =
            LongStream.rangeClosed(1, last).mapToObj((i) -> i + ":" + i * 7 + ":record " + i).toList();
        for (int i = 0; i < 3; i++)
        {
            assertEquals(expected, cluster.records(i));
        }
    }

    private Path archive(final int memberId)
    {
        final Path archive = cluster.directory(memberId).resolve("engine/archive");
        assertFalse(recordings(archive).isEmpty());
        return archive;
    }

    private static Set<String> recordings(final Path archive)
    {
        try (Stream<Path> files = Files.list(archive))
        {
            return files.map((file) -> String.valueOf(file.getFileName())).filter((name) -> name.contains(".rec"))
                .map((name) -> name.substring(0, name.indexOf('-'))).collect(Collectors.toSet());
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
