// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.Random;

import io.journal.Journal;
import io.journal.JournalException;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The writer's side of the protocol, step by step, in a cluster that loses messages as the test decides. */
class WriterTest extends ProtocolFixture
{
    private static final int MODEL_STEPS = 3_000;

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
    void answerMayTakeLongerThanTheTimeToAskAgain()
    {
        final Writer writer = new Writer(cluster::connect, settings(), () -> nowNs);
        answerLate(writer);
        assertTrue(writer.isOpened());
        cluster.commit();
        append(writer, 5);
        cluster.lose(5, false);
        cluster.changeLeader();
        answerLate(writer);

        assertEquals(WriterState.CONNECTED, writer.state());
        settle(writer);
        assertEquals(5, writer.acknowledged());
    }

    /** Answers only after the writer has repeated its request. */
    private void answerLate(final Writer writer)
    {
        writer.drive();
        nowNs += SECOND_NS;
        writer.drive();
        assertEquals(2, cluster.pending());
        cluster.commit(1);
        writer.drive();
    }

    @Test
    void leaderIsLookedForAgainIfNobodyAnswers()
    {
        final Writer writer = connect();
        cluster.loseSessions();
        append(writer, 5);
        for (int i = 0; i < 10; i++)
        {
            settle(writer);
        }

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
        final Writer old = connectWith(3);

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
    void writerThatIsFencedStaysSoWhenTheLeaderIsLost()
    {
        final Writer old = connect();
        append(old, 1);
        connect();
        // The old writer learns of the new leader and the new writer at once, as after a pause of its process.
        cluster.loseLeader();
        old.drive();

        assertEquals(WriterState.FENCED, old.state());
        assertThrows(FencedException.class, old::check);
        old.close();
        assertEquals(WriterState.CLOSED, old.state());
        assertThrows(FencedException.class, old::check);
    }

    @Test
    void openingThatIsRepeatedDoesNotFenceItself()
    {
        final Writer writer = new Writer(cluster::connect, settings(), () -> nowNs);
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
        final Writer writer = connectWith(2);
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
    void recordsThatTheClusterLostAreNamed()
    {
        final Writer writer = connectWith(3);
        try (Journal journal = open("lagging"))
        {
            final JournalMachine lagging = TestCluster.machine(journal, 1);
            cluster.replay(lagging, 0);
            append(writer, 2);
            settle(writer);
            assertEquals(5, writer.acknowledged());

            // A majority was started from files without the last two records.
            cluster.clear();
            cluster.add(lagging);
            cluster.changeLeader();
            append(writer, 1);
            settle(writer);
        }

        assertEquals(WriterState.UNCERTAIN, writer.state());
        final JournalException ex = assertThrows(JournalException.class, writer::check);
        assertTrue(ex.getMessage().contains("lost records"), ex::getMessage);
        assertTrue(ex.getMessage().contains("firstSequence=4, lastSequence=5"), ex::getMessage);
    }

    @Test
    void writerWhoseEpochWasGivenAgainIsNotTakenForTheOther()
    {
        final Writer old = connectWith(1);
        try (Journal journal = open("lost"))
        {
            loseAll(journal);
            final Writer next = connect();
            assertEquals(old.epoch(), next.epoch());
            append(next, 2);
            settle(next);

            cluster.changeLeader();
            old.drive();
            append(old, 2);
            settle(old);
            settle(next);

            assertEquals(1, old.acknowledged());
            assertEquals(WriterState.UNCERTAIN, old.state());
            assertEquals(WriterState.CONNECTED, next.state());
            assertEquals(2, journal.lastSequence());
        }
        final JournalException ex = assertThrows(JournalException.class, old::check);
        assertTrue(ex.getMessage().contains("epoch=1, ofMembers=1, acknowledged=1"), ex::getMessage);
    }

    @Test
    void writerWhoseOpeningTheClusterLostEnds()
    {
        connect();
        final Writer empty = connect();
        try (Journal journal = open("lost"))
        {
            loseAll(journal);
            cluster.changeLeader();
            settle(empty);
        }
        final JournalException ex = assertThrows(JournalException.class, empty::check);
        assertTrue(ex.getMessage().contains("epoch=2, ofMembers=0, acknowledged=0"), ex::getMessage);
    }

    @Test
    void recordsThatTheClusterLostWithTheOpeningAreNamed()
    {
        final Writer writer = connectWith(3);
        try (Journal journal = open("lost"))
        {
            loseAll(journal);
            cluster.changeLeader();
            settle(writer);
        }
        final JournalException ex = assertThrows(JournalException.class, writer::check);
        assertTrue(ex.getMessage().contains("firstSequence=1, lastSequence=3"), ex::getMessage);
    }

    private void loseAll(final Journal journal)
    {
        cluster.clear();
        cluster.add(TestCluster.machine(journal, 1));
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
    void recordIsAppendedOnceIfTheProposerThrows()
    {
        final Writer writer = connect();
        append(writer, InFlight.MAX_MESSAGES);
        cluster.fail(new IllegalStateException("the proposer's"));
        // An append polls as well once many messages are in flight.
        assertEquals(InFlight.MAX_MESSAGES + 1, append(writer));
        assertThrows(IllegalStateException.class, writer::drive);
        cluster.fail(null);

        settle(writer);

        assertEquals(InFlight.MAX_MESSAGES + 1, writer.acknowledged());
        assertJournals(InFlight.MAX_MESSAGES + 1);
        cluster.fail(new IllegalStateException("the proposer's"));
        assertEquals(InFlight.MAX_MESSAGES + 2, append(writer));
        cluster.fail(null);
        settle(writer);
        assertJournals(InFlight.MAX_MESSAGES + 2);
    }

    @Test
    void recordsThatWaitShareAMessage()
    {
        final Writer writer = connectWith(WINDOW);

        assertEquals(InFlight.MAX_MESSAGES + 1, writer.counters.messages());
        assertJournals(WINDOW);
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

    @Test
    void refusedMessageIsNotTakenForAnotherVersion()
    {
        final Writer writer = connect();
        final UnsafeBuffer reply = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
        Protocol.header(reply, Protocol.UNSUPPORTED, 0, 0, 0);
        writer.onReply(reply, 0, reply.capacity());

        final JournalException ex = assertThrows(JournalException.class, () -> append(writer, 1));
        assertTrue(ex.getMessage().contains("refused a message of this writer as malformed"), ex::getMessage);
    }

    @Test
    void shortReplyChangesNothing()
    {
        final Writer writer = connect();
        append(writer, 1);
        final UnsafeBuffer reply = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
        for (byte type = Protocol.OPENED; type <= Protocol.CONFIRMED; type++)
        {
            Protocol.header(reply, type, 0, writer.epoch(), 1);
            for (int length = 0; length < reply.capacity(); length++)
            {
                writer.onReply(reply, 0, length);
            }
        }

        assertEquals(0, writer.acknowledged());
        assertEquals(WriterState.CONNECTED, writer.state());
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
}
