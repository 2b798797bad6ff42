// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

import io.journal.Journal;
import io.journal.JournalBuilder;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalNotFoundException;
import org.agrona.IoUtil;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Wrong settings are refused with a sentence that names the remedy. */
@Tag("slow")
class MisconfigurationTest
{
    @TempDir
    private Path directory;

    @ParameterizedTest
    @ValueSource(strings = { "", "host", "host:", "host:0", "host:65535", ":9000", "a:9000,a:9003", "a:9000,,b:9000" })
    void malformedMembersAreRefused(final String members)
    {
        assertThrows(IllegalArgumentException.class, () -> Members.parse(members));
        assertThrows(IllegalArgumentException.class, () -> ReplicatedJournal.builder(members));
    }

    @Test
    void idOfNoMemberIsRefused()
    {
        final IllegalArgumentException ex = assertThrows(
            IllegalArgumentException.class, () -> JournalMember.builder(3, "a:9000,b:9000,c:9000", directory));
        assertTrue(ex.getMessage().contains("from 0 to 2"), ex::getMessage);
    }

    @Test
    void memberThatRunsAlreadyIsRefused()
    {
        final String members = Ports.members(3);
        JournalMember.create(0, directory);
        try (JournalMember member = builder(0, members).start())
        {
            assertThrows(JournalLockedException.class, builder(0, Ports.members(3))::start);
            assertEquals(0, member.memberId());
            readWhileItIsClosed(member);
        }
    }

    /** Aeron's counters are unmapped meanwhile: reading a counter then would crash this JVM. */
    private static void readWhileItIsClosed(final JournalMember member)
    {
        final CountDownLatch isReading = new CountDownLatch(1);
        final CompletableFuture<Void> reader = CompletableFuture.runAsync(() ->
        {
            for (int i = 0; isReading.getCount() > 0 || member.commitPosition() > 0 || i < 10_000; i++)
            {
                assertFalse(member.isLeader());
                assertFalse(member.requestSnapshot());
                isReading.countDown();
            }
        });
        assertDoesNotThrow(() -> isReading.await());
        member.close();
        reader.join();
        assertFalse(member.isLeader());
    }

    @Test
    void portInUseAndDirectoryOfAnotherMemberAreNamed() throws Exception
    {
        final String members = Ports.members(3);
        JournalMember.create(0, directory);
        final int port = Members.parse(members).port(0, 2);
        try (DatagramSocket socket = new DatagramSocket(new InetSocketAddress(InetAddress.getLoopbackAddress(), port)))
        {
            final JournalException ex = assertThrows(JournalException.class, builder(0, members)::start);
            assertTrue(ex.getMessage().contains("127.0.0.1:" + socket.getLocalPort()), ex::getMessage);
        }

        final JournalException ex = assertThrows(JournalException.class, builder(1, members)::start);
        assertTrue(ex.getMessage().contains("directory of another member"), ex::getMessage);
        // The refused start has released its locks.
        Journal.open(directory.resolve("journal")).close();
        // The refused start has also left all files in place.
        try (JournalMember member = builder(0, members).start())
        {
            assertEquals(0, member.memberId());
        }
    }

    @Test
    void recordLengthThatTheLogDoesNotTakeIsRefused()
    {
        // A message takes at most an eighth of 512 KiB; the limit is what remains without headers.
        final int limit = 65_408;
        final String members = Ports.members(1);
        JournalMember.create(0, directory);
        try (JournalMember member = builder(0, members).journal(MisconfigurationTest::longSegments).start())
        {
            TestCluster.await("a log", () -> member.commitPosition() > 0);
        }

        final JournalMember.Builder builder = builder(0, members).journal(MisconfigurationTest::longSegments);
        final IllegalArgumentException ex =
            assertThrows(IllegalArgumentException.class, builder.maxRecordLength(limit + 64)::start);
        assertTrue(ex.getMessage().contains("maxRecordLength=65472, limit=65408"), ex::getMessage);

        try (JournalMember member = builder.maxRecordLength(limit).start();
            ReplicatedJournal journal = TestCluster.writer(directory, members).maxRecordLength(limit).connect())
        {
            journal.appender().append(new byte[limit]);
            journal.force();
            TestCluster.await("the record", () -> 1 == member.lastSequence());
        }
    }

    private static JournalBuilder longSegments(final JournalBuilder journal)
    {
        return journal.segmentLength(1024 * 1024);
    }

    @Test
    void directoryThatIsEmptyIsRefusedUnlessItWasCreated() throws Exception
    {
        final String members = Ports.members(3);
        JournalException ex = assertThrows(JournalException.class, builder(0, members)::start);
        assertTrue(
            ex.getMessage().contains("seed it from another member") &&
                ex.getMessage().contains("JournalMember.create"),
            ex::getMessage);

        JournalMember.create(0, directory);
        ex = assertThrows(JournalException.class, () -> JournalMember.create(0, directory));
        assertTrue(ex.getMessage().contains("must be empty"), ex::getMessage);
        assertTrue(ex.getMessage().contains("start it"), ex::getMessage);

        // The member has lost the cluster's log.
        Files.delete(directory.resolve("engine"));
        ex = assertThrows(JournalException.class, builder(0, members)::start);
        assertTrue(ex.getMessage().contains("lost a part"), ex::getMessage);
    }

    @Test
    void memberIsCreatedAtTheRootOfAFreshVolume() throws IOException
    {
        Files.createDirectories(directory.resolve("lost+found"));
        JournalMember.create(0, directory);

        assertTrue(Files.isDirectory(directory.resolve("engine")));
    }

    @Test
    void directoryWithOtherFilesIsRefusedWithoutTheAdviceToStartTheMember() throws IOException
    {
        Files.createDirectories(directory.resolve("other"));
        final JournalException ex = assertThrows(JournalException.class, () -> JournalMember.create(0, directory));

        assertTrue(ex.getMessage().contains("found=other; choose another directory"), ex::getMessage);
    }

    @Test
    void memberIsNotCreatedWhereTheParentIsMissing()
    {
        final Path missing = directory.resolve("missing");
        final JournalNotFoundException ex = assertThrows(
            JournalNotFoundException.class, () -> JournalMember.create(0, missing.resolve("member")));

        assertTrue(ex.getMessage().contains("missing=" + missing), ex::getMessage);
        assertFalse(Files.exists(missing));
    }

    @Test
    void memberThatHasLostWhatItVotesWithIsRefused() throws IOException
    {
        final String members = Ports.members(1);
        JournalMember.create(0, directory);
        try (JournalMember member = builder(0, members).start();
            ReplicatedJournal journal = TestCluster.writer(directory, members).maxRecordLength(1024).connect())
        {
            journal.appender().append(new byte[1]);
            journal.force();
            TestCluster.await("the record", () -> 1 == member.lastSequence());
        }

        final Path votes = directory.resolve("engine/cluster/node-state.dat");
        Files.delete(votes);
        JournalException ex = assertThrows(JournalException.class, builder(0, members)::start);
        assertTrue(ex.getMessage().contains("missing=" + votes), ex::getMessage);

        IoUtil.delete(directory.resolve("engine/cluster").toFile(), false);
        ex = assertThrows(JournalException.class, builder(0, members)::start);
        assertTrue(
            ex.getMessage().contains("lost a part") && ex.getMessage().contains("missing=" + directory),
            ex::getMessage);

        IoUtil.delete(directory.resolve("engine/archive").toFile(), false);
        ex = assertThrows(JournalException.class, builder(0, members)::start);
        assertTrue(ex.getMessage().contains("missing=the cluster's log"), ex::getMessage);
    }

    @Test
    void unreachableMembersAreNamed()
    {
        final String members = Ports.members(3);
        final ReplicatedJournalBuilder builder =
            TestCluster.writer(directory, members).timeout(Duration.ofMillis(100));

        final JournalException ex = assertThrows(JournalException.class, builder::connect);
        assertTrue(ex.getMessage().contains(members) && ex.getMessage().contains("majority"), ex::getMessage);
    }

    @Test
    void missingFlagOfTheJvmIsNamed() throws Exception
    {
        final Process process = new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
            System.getProperty("java.class.path"), WithoutFlag.class.getName()).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);

        assertEquals(0, process.waitFor(), output);
        assertTrue(output.contains("--add-opens java.base/jdk.internal.misc=ALL-UNNAMED"), output);
    }

    /** The program of a JVM without the flag. */
    static final class WithoutFlag
    {
        private WithoutFlag()
        {
        }

        public static void main(final String[] args)
        {
            try
            {
                ReplicatedJournal.builder("127.0.0.1:9000").connect();
            }
            catch (final JournalException ex)
            {
                System.out.println(ex.getMessage());
            }
        }
    }

    private JournalMember.Builder builder(final int memberId, final String members)
    {
        return JournalMember.builder(memberId, members, directory).forced(false).maxRecordLength(1024)
            .journal((journal) -> journal.segmentLength(64 * 1024)).engine(TestCluster.engine(directory))
            .errorHandler(TestCluster::ignore);
    }
}
