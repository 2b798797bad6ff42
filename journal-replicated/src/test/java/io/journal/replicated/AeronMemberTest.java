// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import io.aeron.Aeron;
import io.aeron.archive.client.ArchiveException;
import io.aeron.cluster.client.ClusterException;
import io.journal.Journal;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Errors of Aeron that end a member, because otherwise the member would not take part and nobody would notice. */
class AeronMemberTest
{
    private static final int RECORDS = 100;
    private static final int RECORD_LENGTH = 1_000;
    // A position in the middle of the log.
    private static final long MIDDLE = 50_000;

    @TempDir
    private Path directory;
    private final String members = Ports.members(1);

    @ParameterizedTest
    @ValueSource(strings = {
        "CRC checksum mismatch at position=64 (segmentFilePosition=0): recorded checksum=1, computed checksum=2",
        "unexpected end of recording at position=4096 (segmentFilePosition=0), recordingId=0, replaySessionId=1",
        "recording segment not found, recordingId=0, replaySessionId=1, segmentFile=0-67108864.rec",
        "recording segment file not created, recordingId=3, replaySessionId=1, segmentFile=3-0.rec",
        "response for correlationId=7, error: requested replay start position=0 is less than recording start " +
            "position=67108864 for recording 0" })
    void damagedOrUnreachableLogEndsTheMember(final String message)
    {
        assertTrue(AeronMember.isOfDamage(new ArchiveException(message, ArchiveException.GENERIC)));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "no connection established for replayChannel=aeron:ipc, replayStreamId=103, recordingId=0, replaySessionId=1",
        "replayPosition=64 does not point to a valid frame, recordingId=0, replaySessionId=1, segmentFile=0-0.rec",
        "max concurrent replays reached 20", "replay aborted", "unknown replication id 4" })
    void errorThatPassesDoesNot(final String message)
    {
        assertFalse(AeronMember.isOfDamage(new ArchiveException(message, ArchiveException.GENERIC)));
    }

    @Test
    void logOfAFollowerThatIsTooOldDoesNotEndTheLeader()
    {
        assertFalse(AeronMember.isOfDamage(new ClusterException(
            "catchup replay failed - requested replay start position=0 is less than recording start position=64 for " +
                "recording 0")));
    }

    @Tag("slow")
    @Test
    void memberWhoseLogHasAFlippedBitEnds() throws IOException
    {
        JournalMember.create(0, directory.resolve("member"));
        try (JournalMember member = start();
            ReplicatedJournal journal = TestCluster.writer(directory, members).connect())
        {
            for (int i = 0; i < RECORDS; i++)
            {
                journal.appender().append(new byte[RECORD_LENGTH]);
            }
            journal.force();
            assertTrue(member.commitPosition() > 2 * MIDDLE);
        }
        flipBit(MemberFiles.archive(directory.resolve("member/engine")).resolve("0-0.rec"));

        try (JournalMember member = start())
        {
            TestCluster.await("the member to end", () -> null != member.failure());
            final String message = member.failure().getMessage();
            assertTrue(message.contains("seed it from another member; cause="), message);
        }
    }

    @Tag("slow")
    @Test
    void silenceOfTheMediaDriverDoesNotEndTheProcessWhileTheLogIsTruncated()
    {
        try (Journal local = Journal.open(directory.resolve("journal"));
            AeronMember member = new AeronMember(
                TestCluster.single(directory, members).maxRecordLength(RECORD_LENGTH), TestCluster.machine(local, 1));
            Aeron client = member.newClient())
        {
            assertNotSame(Aeron.Configuration.DEFAULT_ERROR_HANDLER, client.context().errorHandler());
            assertEquals(60_000, client.context().driverTimeoutMs());
            // There is nothing to truncate yet.
            member.truncateLog(Long.MAX_VALUE);
        }
    }

    /** Flips a bit in the bytes of a frame, not in its header. */
    private static void flipBit(final Path file) throws IOException
    {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final ByteBuffer bytes = ByteBuffer.allocate(RECORD_LENGTH);
            channel.read(bytes, MIDDLE);
            // Look for zeros of a record, because a header has fewer in a row.
            int zeros = 0;
            int index = 0;
            while (zeros < 64)
            {
                zeros = 0 == bytes.get(index) ? zeros + 1 : 0;
                index++;
            }
            channel.write(ByteBuffer.wrap(new byte[]{ 1 }), MIDDLE + index - 1);
        }
    }

    private JournalMember start()
    {
        return TestCluster.single(directory, members).maxRecordLength(RECORD_LENGTH).start();
    }
}
