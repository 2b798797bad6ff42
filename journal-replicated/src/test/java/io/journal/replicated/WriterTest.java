package io.journal.replicated;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;

import io.journal.Journal;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.replicated.spi.Members;
import io.journal.replicated.support.FakeCluster;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The protocol between writers and members, step by step, on an engine that loses what the test wants.
 */
class WriterTest
{
    private static final int WINDOW = 100;
    private static final int MAX_RECORD_LENGTH = 256;
    private static final long DEADLINE_NS = Duration.ofSeconds(30).toNanos();
    private static final long SECOND_NS = Duration.ofSeconds(1).toNanos();
    private static final int MODEL_STEPS = 3_000;

    @TempDir
    private Path directory;
    private final FakeCluster cluster = new FakeCluster();
    private Journal leader;
    private Journal follower;
    private long nowNs = 1_000;

    @BeforeEach
    void start()
    {
        leader = open("leader");
        follower = open("follower");
        cluster.add(new JournalMachine(leader, 1));
        cluster.add(new JournalMachine(follower, 1));
    }

    @AfterEach
    void end()
    {
        leader.close();
        follower.close();
    }

    @Test
    void recordsAreAcknowledgedOnceTheyAreCommitted()
    {
        final Writer writer = connect();
        append(writer, 3);
        assertEquals(3, writer.last());
        writer.drive();
        assertEquals(0, writer.acknowledged());

        settle(writer);

        assertEquals(3, writer.acknowledged());
        assertJournals(3);
    }

    @Test
    void recordsThatALeaderLostAreSentAgain()
    {
        final Writer writer = connect();
        append(writer, 20);
        cluster.commit(2);
        cluster.lose(3, false);
        cluster.changeLeader();

        settle(writer);

        assertEquals(20, writer.acknowledged());
        assertTrue(writer.counters.resent() > 0);
        assertJournals(20);
    }

    @Test
    void recordsWhoseAcknowledgementsWereLostAreAppendedOnce()
    {
        final Writer writer = connect();
        append(writer, 20);
        cluster.commit();
        cluster.changeLeader();

        settle(writer);

        assertEquals(20, writer.acknowledged());
        assertJournals(20);
    }

    @Test
    void acknowledgementIsAskedForAgainIfItIsLost()
    {
        final Writer writer = connect();
        append(writer, 5);
        cluster.commit();
        cluster.loseReplies();
        writer.drive();
        assertEquals(0, writer.acknowledged());

        nowNs += SECOND_NS;
        settle(writer);

        assertEquals(5, writer.acknowledged());
        assertJournals(5);
    }

    @Test
    void gapIsRefusedAndFilled()
    {
        final Writer writer = connect();
        append(writer, 5);
        cluster.lose(1, true);

        settle(writer);

        assertEquals(5, writer.acknowledged());
        assertEquals(1, writer.counters.gaps());
        assertJournals(5);
    }

    @Test
    void messageThatArrivesTwiceIsAppendedOnce()
    {
        final Writer writer = connect();
        append(writer, 1);
        cluster.duplicateLast();

        settle(writer);

        assertEquals(1, writer.acknowledged());
        assertJournals(1);
    }

    @Test
    void writerIsFencedByTheNext()
    {
        final Writer old = connect();
        append(old, 3);
        settle(old);

        final Writer next = connect();
        assertEquals(3, next.last());
        assertEquals(old.epoch() + 1, next.epoch());
        append(old, 2);
        settle(old);
        append(next, 1);
        settle(next);

        assertEquals(WriterState.FENCED, old.state());
        assertEquals(3, old.acknowledged());
        final FencedException ex = assertThrows(FencedException.class, () -> append(old, 1));
        assertEquals(next.epoch(), ex.newEpoch());
        assertEquals(4, ex.sequence());
        assertEquals(4, next.acknowledged());
        assertJournals(4);
    }

    @Test
    void openingThatIsRepeatedDoesNotFenceItself()
    {
        final Writer writer = new Writer(cluster, options(), () -> nowNs);
        writer.drive();
        writer.drive();
        cluster.duplicateLast();
        nowNs += SECOND_NS;
        writer.drive();

        settle(writer);

        assertTrue(writer.isOpened());
        assertEquals(1, writer.epoch());
        append(writer, 1);
        settle(writer);
        assertEquals(1, writer.acknowledged());
    }

    @Test
    void silenceBeyondTheDeadlineIsUncertain()
    {
        final Writer writer = connect();
        append(writer, 2);
        settle(writer);
        append(writer, 3);
        cluster.loseLeader();
        nowNs += DEADLINE_NS - 1;
        writer.drive();
        assertEquals(WriterState.FAILING_OVER, writer.state());

        nowNs++;
        writer.drive();

        assertEquals(WriterState.UNCERTAIN, writer.state());
        final UncertainException ex = assertThrows(UncertainException.class, writer::check);
        assertEquals(3, ex.firstSequence());
        assertEquals(5, ex.lastSequence());
    }

    @Test
    void closingWithRecordsInFlightLeavesThemUncertain()
    {
        final Writer writer = connect();
        append(writer, 1);
        writer.close();

        assertEquals(1, assertThrows(UncertainException.class, writer::check).firstSequence());
        writer.close();
    }

    @Test
    void fullWindowHasRoomAgainAfterAnAcknowledgement()
    {
        final Writer writer = connect();
        append(writer, WINDOW);
        assertEquals(0, append(writer));
        assertEquals(WINDOW, writer.last());

        settle(writer);

        assertEquals(WINDOW + 1, append(writer));
    }

    @Test
    void recordsThatWaitShareAMessage()
    {
        final Writer writer = connect();
        append(writer, WINDOW);
        settle(writer);

        assertTrue(writer.counters.messages() < WINDOW / 2, () -> writer.counters.toString());
        assertJournals(WINDOW);
    }

    @Test
    void memberThatIsRestartedSkipsWhatItsJournalHolds()
    {
        final Writer writer = connect();
        append(writer, 10);
        settle(writer);
        follower.close();
        follower = open("follower");
        final JournalMachine machine = new JournalMachine(follower, 1);

        cluster.replay(machine, 0);

        assertEquals(10, machine.lastSequence());
        assertEquals(writer.epoch(), machine.epoch());
        assertJournals(10);
    }

    @Test
    void memberContinuesFromASnapshot()
    {
        final Writer writer = connect();
        append(writer, 10);
        settle(writer);
        final byte[] snapshot;
        try (Journal journal = open("other"))
        {
            final JournalMachine machine = new JournalMachine(journal, 1);
            cluster.replay(machine, 0);
            snapshot = machine.snapshot(0);
        }
        final int logLength = cluster.logLength();
        append(writer, 5);
        settle(writer);

        try (Journal journal = open("other"))
        {
            final JournalMachine machine = new JournalMachine(journal, 1);
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
        final Writer writer = connect();
        append(writer, 10);
        settle(writer);
        try (Journal journal = open("source"); Journal empty = open("empty"))
        {
            final JournalMachine source = new JournalMachine(journal, 1);
            cluster.replay(source, 0);
            final byte[] snapshot = source.snapshot(0);

            final JournalException ex =
                assertThrows(JournalException.class, () -> new JournalMachine(empty, 1).restore(snapshot));
            assertTrue(ex.getMessage().contains("seed"), ex::getMessage);
        }
    }

    @Test
    void memberWhoseJournalDiffersIsRefused()
    {
        final Writer writer = connect();
        append(writer, 2);
        settle(writer);
        try (Journal other = open("other"))
        {
            other.appender().append("something else".getBytes(StandardCharsets.UTF_8));
            final JournalMachine machine = new JournalMachine(other, 1);

            final JournalException ex = assertThrows(JournalException.class, () -> cluster.replay(machine, 0));
            assertTrue(ex.getMessage().contains("differs"), ex::getMessage);
        }
    }

    @Test
    void malformedMessagesChangeNothing()
    {
        final Writer writer = connect();
        append(writer, 2);
        settle(writer);
        final List<Byte> replies = new ArrayList<>();
        final JournalMachine machine = new JournalMachine(leader, 1);
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

    @Test
    void membersOfAnotherVersionAreNamed()
    {
        final Writer writer = connect();
        append(writer, 1);
        final UnsafeBuffer reply = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
        Protocol.header(reply, Protocol.UNSUPPORTED, 0, 0, 0);
        reply.putByte(1, (byte)(Protocol.VERSION + 1));
        writer.onReply(reply, 0, reply.capacity());

        final JournalException ex = assertThrows(JournalException.class, () -> append(writer, 1));
        assertTrue(ex.getMessage().contains("version=1, members=2"), ex::getMessage);
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4, 5, 6, 7, 8 })
    void nothingAcknowledgedIsLostOrDoubled(final long seed)
    {
        final Random random = new Random(seed);
        Writer writer = connect();
        long acknowledged = 0;
        for (int i = 0; i < MODEL_STEPS; i++)
        {
            switch (random.nextInt(16))
            {
                case 0 -> cluster.lose(1 + random.nextInt(3), random.nextBoolean());
                case 1 -> cluster.loseReplies();
                case 2 -> cluster.duplicateLast();
                case 3 ->
                {
                    cluster.lose(random.nextInt(5), false);
                    cluster.changeLeader();
                }
                case 4 -> nowNs += SECOND_NS / 2;
                case 5 -> writer.drive();
                case 6 ->
                {
                    if (0 == random.nextInt(20))
                    {
                        final Writer old = writer;
                        writer = connect();
                        final long last = writer.last();
                        settle(old);
                        assertTrue(old.acknowledged() <= last, "seed=" + seed);
                    }
                }
                case 7, 8, 9, 10 -> cluster.commit(1 + random.nextInt(4));
                default -> append(writer);
            }
            writer.drive();
            assertTrue(writer.acknowledged() >= acknowledged, "seed=" + seed);
            acknowledged = writer.acknowledged();
            assertTrue(leader.lastSequence() >= acknowledged, "seed=" + seed);
        }

        settle(writer);
        assertEquals(writer.last(), writer.acknowledged(), "seed=" + seed);
        assertJournals(writer.last());
    }

    private Writer connect()
    {
        final Writer writer = new Writer(cluster, options(), () -> nowNs);
        for (int i = 0; i < 100 && !writer.isOpened(); i++)
        {
            writer.drive();
            cluster.commit();
            nowNs += SECOND_NS;
        }
        assertTrue(writer.isOpened());
        return writer;
    }

    private static WriterOptions options()
    {
        return new WriterOptions(Members.parse("a:1000"), WINDOW, 64 * 1024, MAX_RECORD_LENGTH, DEADLINE_NS);
    }

    /** Nothing is lost any more. */
    private void settle(final Writer writer)
    {
        for (int i = 0; i < 20; i++)
        {
            nowNs += SECOND_NS / 4;
            writer.drive();
            cluster.commit();
        }
        writer.drive();
    }

    private static void append(final Writer writer, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long next = writer.last() + 1;
            assertEquals(next, append(writer));
        }
    }

    private static long append(final Writer writer)
    {
        final byte[] record = text(writer.last() + 1).getBytes(StandardCharsets.UTF_8);
        return writer.append(writer.last() + 1, record, 0, record.length);
    }

    private static String text(final long sequence)
    {
        return "record " + sequence + "x".repeat((int)(sequence % 50));
    }

    private void assertJournals(final long last)
    {
        final List<String> expected =
            LongStream.rangeClosed(1, last).mapToObj((i) -> i + " " + i + " " + text(i)).toList();
        assertEquals(expected, records(leader));
        assertEquals(expected, records(follower));
    }

    private static List<String> records(final Journal journal)
    {
        final List<String> records = new ArrayList<>();
        try (JournalReader reader = journal.openReader())
        {
            reader.poll(
                (buffer, offset, length, header) -> records.add(
                    header.sequence() + " " + header.tag() + " " + buffer.getStringWithoutLengthUtf8(offset, length)),
                Integer.MAX_VALUE);
        }
        assertFalse(journal.isClosed());
        return records;
    }

    private Journal open(final String name)
    {
        return Journal.builder(directory.resolve(name)).segmentLength(64 * 1024).maxRecordLength(MAX_RECORD_LENGTH)
            .open();
    }
}
