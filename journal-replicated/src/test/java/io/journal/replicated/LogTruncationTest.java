// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.stream.Stream;

import io.journal.Journal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A member that has to drop its whole log keeps the part with which it starts. */
@Tag("slow")
class LogTruncationTest
{
    private static final int RECORDS = 800;
    private static final int MAX_RECORD_LENGTH = 1_024;

    @TempDir
    private Path directory;
    private final String addresses = Ports.members(1);

    @Test
    void logIsCutAtTheMembersOwnNewestSnapshotAtMost() throws IOException
    {
        try (Journal journal = open())
        {
            final JournalMachine machine = TestCluster.machine(journal, 1);
            try (Member member = start(machine);
                ReplicatedJournal writer = TestCluster.writer(directory, addresses).connect())
            {
                append(writer);
                final long files = logFiles();
                assertTrue(files > 1);
                // Without a snapshot, the member starts at the beginning of the log.
                member.truncateLog(Long.MAX_VALUE);
                assertEquals(files, logFiles());

                TestCluster.await("a snapshot", member::requestSnapshot);
                TestCluster.await("the snapshot", () -> RECORDS == machine.newestSnapshot().sequence());
                append(writer);
                // When this snapshot is requested, the consensus module has completed the first snapshot.
                TestCluster.await("another snapshot", member::requestSnapshot);
                TestCluster.await("the other snapshot", () -> 2 * RECORDS == machine.newestSnapshot().sequence());
                append(writer);
                final long before = logFiles();
                member.truncateLog(Long.MAX_VALUE);
                TestCluster.await("a shorter log", () -> logFiles() < before);
            }
        }

        try (Journal journal = open())
        {
            final JournalMachine machine = TestCluster.machine(journal, 1);
            try (Member member = start(machine))
            {
                TestCluster.await(
                    "all records",
                    () -> null != member.failure() || 3 * RECORDS == machine.lastSequence());
                assertEquals(null, member.failure());
                assertTrue(machine.newestSnapshot().sequence() >= RECORDS);
            }
        }
    }

    private Journal open()
    {
        return Journal.builder(directory.resolve("journal")).segmentLength(1024 * 1024)
            .maxRecordLength(MAX_RECORD_LENGTH).open();
    }

    private Member start(final JournalMachine machine)
    {
        final JournalMember.Builder builder = TestCluster.single(directory, addresses);
        return new AeronMember(builder.maxRecordLength(MAX_RECORD_LENGTH).engine(engine()), machine);
    }

    private AeronEngine engine()
    {
        return TestCluster.engine(directory).logSegmentLength(512 * 1024).heartbeatTimeout(Duration.ofSeconds(10));
    }

    private static void append(final ReplicatedJournal journal)
    {
        for (int i = 0; i < RECORDS; i++)
        {
            journal.appender().append(new byte[MAX_RECORD_LENGTH]);
        }
        journal.force();
    }

    /** {@return the number of files of the first recording, which is the log} */
    private long logFiles()
    {
        try (Stream<Path> files = Files.list(directory.resolve("member/engine/archive")))
        {
            return files.filter((file) -> String.valueOf(file.getFileName()).matches("0-\\d+\\.rec")).count();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
