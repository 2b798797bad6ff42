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
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

import io.journal.Journal;
import io.journal.ReadOnlyJournal;
import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.MemberOptions;
import io.journal.replicated.spi.Members;
import io.journal.replicated.support.TestCluster;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Members, a writer, and what becomes of records: on Aeron Cluster, with all members in this process.
 */
@Tag("slow")
class ReplicationTest
{
    @TempDir
    private Path directory;

    @Test
    void eachMemberHasEachRecordOnceAlsoIfTheLeaderIsLost() throws Exception
    {
        try (TestCluster cluster = new TestCluster(directory))
        {
            final long half = 2_000;
            final long last = 2 * half + 1;
            final AtomicLong notified = new AtomicLong();
            try (ReplicatedJournal journal = cluster.writer().connect())
            {
                journal.onForced(notified::set);
                assertEquals(1, journal.epoch());
                append(journal, 1, half);
                journal.awaitForced(half);
                cluster.awaitApplied(half);

                // Lost with records in flight.
                final int leader = cluster.leader().memberId();
                append(journal, half + 1, half + half / 2);
                cluster.stop(leader);
                append(journal, half + half / 2 + 1, 2 * half);
                journal.force();
                assertEquals(2 * half, journal.forcedSequence());
                assertTrue(journal.counters().leaderChanges() > 1);

                cluster.start(leader);
                cluster.awaitApplied(2 * half);
                append(journal, last, last);
            }
            assertEquals(last, notified.get());
            cluster.awaitApplied(last);

            final List<String> expected = expected(last);
            for (int i = 0; i < 3; i++)
            {
                assertEquals(expected, cluster.records(i));
            }

            fencing(cluster, last);
        }
    }

    @Test
    void memberRestartsFromASnapshotAndHistoryIsPruned() throws Exception
    {
        try (TestCluster cluster = new TestCluster(directory); ReplicatedJournal journal = cluster.writer().connect())
        {
            append(journal, new byte[TestCluster.MAX_RECORD_LENGTH], 1);
            final byte[] record = new byte[1000];
            append(journal, record, 4_999);
            assertEquals(1, journal.prune(2_000, Duration.ofMinutes(10)));
            cluster.awaitApplied(5_000);
            TestCluster.await("a snapshot", () -> cluster.leader().requestSnapshot());
            for (int i = 0; i < 3; i++)
            {
                final JournalMember member = cluster.member(i);
                TestCluster.await("the snapshot of " + member, () -> 5_000 == member.snapshotSequence());
            }
            TestCluster.await("confirmed snapshots", () -> 4_000 == journal.prune(4_000, Duration.ofMinutes(10)));

            // Each of two at once gets its own answer.
            final CompletableFuture<Long> other =
                CompletableFuture.supplyAsync(() -> journal.prune(3_000, Duration.ofMinutes(10)));
            assertEquals(3_500, journal.prune(3_500, Duration.ofMinutes(10)));
            assertEquals(3_000, other.join());

            final int follower = (cluster.leader().memberId() + 1) % 3;
            cluster.stop(follower);
            append(journal, record, 1_000);
            cluster.start(follower);
            cluster.awaitApplied(6_000);

            for (int i = 0; i < 3; i++)
            {
                try (ReadOnlyJournal read = Journal.openReadOnly(cluster.directory(i).resolve("journal")))
                {
                    assertTrue(read.firstSequence() > 2_000 && read.firstSequence() <= 4_000, read::toString);
                    assertEquals(6_000, read.lastSequence());
                }
                TestCluster.await("a truncated log", firstLogFileIsGone(cluster.directory(i)));
            }

            olderSnapshotsAreDeleted(cluster, journal);
            wipeAndSeed(cluster, follower, journal);
            memberOfAnotherVersionIsRefused(cluster, follower);
        }
    }

    private static void memberOfAnotherVersionIsRefused(final TestCluster cluster, final int memberId)
    {
        final Path directory = cluster.directory(memberId);
        cluster.stop(memberId);
        try (Journal journal = Journal.builder(directory.resolve("journal")).maxRecordLength(1024).open();
            Member member = cluster.engine().start(
                new MemberOptions(
                    memberId, Members.parse(cluster.addresses), directory.resolve("engine"), false,
                    Limits.maxMessageLength(1024), Protocol.VERSION + 1, 0),
                new JournalMachine(journal, 3)))
        {
            TestCluster.await("the member to end", () -> null != member.failure());
            final String message = member.failure().getMessage();
            assertTrue(message.contains("another version of the protocol: version=2; run the same"), message);
        }
    }

    private static void wipeAndSeed(final TestCluster cluster, final int memberId, final ReplicatedJournal journal)
    {
        cluster.stop(memberId);
        IoUtil.delete(cluster.directory(memberId).toFile(), false);
        final byte[] record = new byte[1000];
        append(journal, record, 500);
        final long first = journal.lastSequence();

        // Beside a running member, with records in flight.
        journal.appender().append(record);
        final long seeded = MemberSeed.copy(
            cluster.directory(cluster.leader().memberId()), cluster.directory(memberId), memberId);
        assertTrue(seeded >= first, () -> "seeded=" + seeded);
        cluster.start(memberId);
        append(journal, record, 500);

        cluster.awaitApplied(journal.lastSequence());
    }

    private static void olderSnapshotsAreDeleted(final TestCluster cluster, final ReplicatedJournal journal)
    {
        final long last = journal.lastSequence();
        TestCluster.await("another snapshot", () -> cluster.leader().requestSnapshot());
        TestCluster.await("confirmed snapshots", () -> last == journal.prune(last, Duration.ofMinutes(10)));
        for (int i = 0; i < 3; i++)
        {
            final Path archive = cluster.directory(i).resolve("engine/archive");
            // The log, and the newest snapshot's: of the consensus module, and of the service.
            TestCluster.await("older snapshots to be deleted", () -> 3 == recordings(archive).size());
        }
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

    private static BooleanSupplier firstLogFileIsGone(final Path directory)
    {
        return () -> !Files.exists(directory.resolve("engine/archive/0-0.rec"));
    }

    private static void append(final ReplicatedJournal journal, final byte[] record, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            journal.appender().append(record);
        }
        journal.force();
    }

    private void fencing(final TestCluster cluster, final long last)
    {
        // The first member's name does not resolve: it is not needed.
        final ReplicatedJournal old =
            cluster.writer("a..b:9000" + cluster.addresses.substring(cluster.addresses.indexOf(',')))
                .maxRecordLength(2 * TestCluster.MAX_RECORD_LENGTH).connect();
        assertEquals(TestCluster.MAX_RECORD_LENGTH, old.maxRecordLength());
        assertEquals(last, old.lastSequence());
        try (ReplicatedJournal journal = cluster.writer().connect())
        {
            assertEquals(old.epoch() + 1, journal.epoch());
            TestCluster.await("the old writer to be fenced", () -> WriterState.FENCED == old.state());
            final FencedException ex = assertThrows(FencedException.class, () -> append(old, last + 1, last + 1));
            assertEquals(journal.epoch(), ex.newEpoch());

            append(journal, last + 1, last + 1);
            journal.awaitForced(last + 1);
        }
        old.close();
    }

    private static void append(final ReplicatedJournal journal, final long first, final long last)
    {
        for (long i = first; i <= last; i++)
        {
            assertEquals(i, journal.appender().append(i * 7, ("record " + i).getBytes(StandardCharsets.UTF_8)));
        }
    }

    private static List<String> expected(final long last)
    {
        return LongStream.rangeClosed(1, last).mapToObj((i) -> i + ":" + i * 7 + ":record " + i).toList();
    }
}
