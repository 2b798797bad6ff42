// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.journal.Journal;
import io.journal.JournalException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How members apply messages: after a restart, from a snapshot, and malformed messages. */
class JournalMachineTest extends ProtocolFixture
{
    @Test
    void memberThatIsRestartedSkipsWhatItsJournalHolds()
    {
        final Writer writer = connectWith(10);
        follower.close();
        follower = open("follower");
        final JournalMachine machine = TestCluster.machine(follower, 1);

        cluster.replay(machine, 0);

        assertEquals(10, machine.lastSequence());
        assertEquals(writer.epoch(), machine.epoch());
        assertJournals(10);
    }

    @Test
    void memberContinuesFromASnapshot()
    {
        final Writer writer = connectWith(10);
        final byte[] snapshot;
        try (Journal journal = open("other"))
        {
            final JournalMachine machine = TestCluster.machine(journal, 1);
            cluster.replay(machine, 0);
            snapshot = machine.snapshot(0);
        }
        final int logLength = cluster.logLength();
        append(writer, 5);
        settle(writer);

        try (Journal journal = open("other"))
        {
            final JournalMachine machine = TestCluster.machine(journal, 1);
            machine.restore(snapshot);
            assertEquals(10, machine.lastSequence());
            cluster.replay(machine, logLength);

            assertEquals(15, machine.lastSequence());
            assertEquals(writer.epoch(), machine.epoch());
            assertEquals(records(leader), records(journal));
        }
    }

    @Test
    void memberWhoseJournalEndsBeforeItsSnapshotIsRefused()
    {
        connectWith(10);
        try (Journal journal = open("source"); Journal empty = open("empty"))
        {
            final JournalMachine source = TestCluster.machine(journal, 1);
            cluster.replay(source, 0);
            final byte[] snapshot = source.snapshot(0);

            final JournalException ex =
                assertThrows(JournalException.class, () -> TestCluster.machine(empty, 1).restore(snapshot));
            assertTrue(ex.getMessage().contains("seed"), ex::getMessage);
        }
    }

    @Test
    void memberWhoseJournalDiffersIsRefused()
    {
        connectWith(2);
        try (Journal other = open("other"))
        {
            other.appender().append("something else".getBytes(StandardCharsets.UTF_8));
            final JournalMachine machine = TestCluster.machine(other, 1);

            final JournalException ex = assertThrows(JournalException.class, () -> cluster.replay(machine, 0));
            assertTrue(ex.getMessage().contains("differs"), ex::getMessage);
        }
    }

    @Test
    void recordsThatTheLogLostAreReplacedOnMembersThatDoNotFsync()
    {
        final Writer writer = connectWith(2);
        try (Journal other = open("other"))
        {
            cluster.replay(TestCluster.machine(other, 1), 0);
            other.appender().append("lost with the power".getBytes(StandardCharsets.UTF_8));
            other.appender().append("and this".getBytes(StandardCharsets.UTF_8));
            append(writer, 1);
            settle(writer);
            final List<Throwable> reported = new ArrayList<>();
            final JournalMachine machine = new JournalMachine(other, 1, false, reported::add);

            cluster.replay(machine, 0);

            assertEquals(records(leader), records(other));
            assertEquals(1, reported.size());
            final String message = reported.get(0).getMessage();
            assertTrue(message.contains("firstSequence=3, lastSequence=4"), message);
        }
    }

    @Test
    void memberWhoseLimitIsLessThanTheLeadersIsRefused()
    {
        final JournalMachine machine = TestCluster.machine(leader, 1);
        machine.term(Protocol.capacity(MAX_RECORD_LENGTH - 64));
        final byte[] snapshot = machine.snapshot(0);
        TestCluster.machine(follower, 1).restore(snapshot);

        final JournalException ex = assertThrows(
            JournalException.class, () -> machine.term(Protocol.capacity(MAX_RECORD_LENGTH + 64)));
        assertTrue(ex.getMessage().contains("maxRecordLength=256, expected=320"), ex::getMessage);
        final byte[] higher = machine.snapshot(0);
        assertThrows(JournalException.class, () -> TestCluster.machine(follower, 1).restore(higher));
    }

    @Test
    void recordLongerThanTheLeadersLimitEndsNoMember()
    {
        final JournalMachine machine = TestCluster.machine(leader, 1);
        machine.term(Protocol.capacity(64));
        final UnsafeBuffer message = new UnsafeBuffer(new byte[256]);
        Protocol.header(message, Protocol.APPEND, 1, 0, 1);
        message.putInt(Protocol.HEADER_LENGTH, 65, LITTLE_ENDIAN);
        final List<Byte> replies = new ArrayList<>();

        machine.committed(
            (reply, offset, length) -> replies.add(Protocol.type(reply, offset)), message, 0, message.capacity());

        assertEquals(List.of(Protocol.UNSUPPORTED), replies);
        assertEquals(0, machine.lastSequence());
    }

    @Test
    void confirmationNamesTheSnapshotThatItConfirms()
    {
        final JournalMachine machine = TestCluster.machine(leader, 1);
        final UnsafeBuffer message = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
        Protocol.extended(message, Protocol.CONFIRM, 0, 0, 7, 4096);
        final List<Long> positions = new ArrayList<>();

        machine.committed(
            (reply, offset, length) -> positions.add(Protocol.extension(reply, offset)), message, 0,
            message.capacity());

        assertEquals(List.of(4096L), positions);
    }

    @Test
    void malformedMessagesChangeNothing()
    {
        final Writer writer = connectWith(2);
        final List<Byte> replies = new ArrayList<>();
        final JournalMachine machine = TestCluster.machine(leader, 1);
        cluster.replay(machine, 0);
        final UnsafeBuffer message = new UnsafeBuffer(new byte[256]);
        for (byte type = 0; type < 10; type++)
        {
            for (int length = 0; length < Protocol.HEADER_LENGTH + 2; length++)
            {
                Protocol.header(message, type, 1, writer.epoch(), 3);
                machine.committed(
                    (reply, offset, replyLength) -> replies.add(Protocol.type(reply, offset)), message, 0, length);
            }
        }

        assertEquals(2, machine.lastSequence());
        assertEquals(writer.epoch(), machine.epoch());
        assertTrue(replies.contains(Protocol.UNSUPPORTED));
        assertJournals(2);
    }
}
