// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.List;
import java.util.Random;

import io.journal.Journal;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Random snapshots, reports of them, prunes and restarts of members among appends, losses and changes of the leader:
 * whatever is pruned, each member can start from its newest snapshot.
 */
@Tag("slow")
class MemberModelTest extends ProtocolFixture
{
    private static final int MODEL_STEPS = 4_000;
    private static final int MEMBERS = 2;
    private static final int SEGMENT_LENGTH = 64 * 1024;

    private final Journal[] journals = new Journal[MEMBERS];
    private final JournalMachine[] machines = new JournalMachine[MEMBERS];
    // The newest snapshot of each member, and the number of messages before it.
    private final byte[][] snapshots = new byte[MEMBERS][];
    private final int[] positions = new int[MEMBERS];
    private final Proposer reporter = cluster.connect(new Proposer.Replies()
    {
        @Override
        public void onReply(final DirectBuffer message, final int offset, final int length)
        {
            // The model reports again in any case.
        }

        @Override
        public void onLeader(final int memberId)
        {
            // Reports do not depend on the leader.
        }
    });
    private int restarts;

    @AfterEach
    void close()
    {
        for (final Journal journal : journals)
        {
            journal.close();
        }
    }

    @ParameterizedTest
    @ValueSource(longs = { 1, 2, 3, 4 })
    void memberCanAlwaysStartFromItsNewestSnapshot(final long seed)
    {
        final Random random = new Random(seed);
        cluster.clear();
        for (int i = 0; i < MEMBERS; i++)
        {
            journals[i] = openMember(i);
            machines[i] = TestCluster.machine(journals[i], MEMBERS);
            cluster.add(machines[i]);
        }
        Writer writer = connect();
        for (int step = 0; step < MODEL_STEPS; step++)
        {
            final int memberId = random.nextInt(MEMBERS);
            switch (random.nextInt(24))
            {
                case 0 -> cluster.lose(1 + random.nextInt(3), random.nextBoolean());
                case 1 -> cluster.duplicateLast();
                case 2 -> cluster.changeLeader();
                case 3 -> nowNs += SECOND_NS / 2;
                case 4 -> takeSnapshot(memberId);
                case 5, 6 -> report(memberId);
                case 7 -> writer.propose(Protocol.PRUNE, 1 + random.nextLong(writer.acknowledged() + 1), 0);
                case 8 -> restart(memberId, random.nextInt(8));
                case 9 -> writer = 0 == random.nextInt(20) ? connect() : writer;
                case 10, 11, 12, 13 -> cluster.commit(1 + random.nextInt(4));
                default -> append(writer);
            }
            writer.drive();
            reporter.poll();
            check(seed);
        }

        settle(writer);
        assertEquals(writer.last(), writer.acknowledged(), "seed=" + seed);
        assertTrue(restarts > 10 && journals[0].firstSequence() > 1, () -> "seed=" + seed + ", " + journals[0]);
        for (final Journal journal : journals)
        {
            assertEquals(expected(journal.firstSequence(), writer.last()), records(journal), "seed=" + seed);
        }
    }

    private Journal openMember(final int memberId)
    {
        return Journal.builder(directory().resolve("member-" + memberId)).segmentLength(SEGMENT_LENGTH)
            .maxRecordLength(MAX_RECORD_LENGTH).open();
    }

    private void takeSnapshot(final int memberId)
    {
        positions[memberId] = cluster.logLength();
        snapshots[memberId] = machines[memberId].snapshot(positions[memberId]);
    }

    private void report(final int memberId)
    {
        final JournalMachine.Snapshot newest = machines[memberId].newestSnapshot();
        final UnsafeBuffer message = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
        Protocol.extended(message, Protocol.CONFIRM, memberId, 0, newest.sequence(), newest.logPosition());
        reporter.propose(message, 0, message.capacity());
    }

    /** The log is replayed from the newest snapshot on: a part of it is in the journal already. */
    private void restart(final int memberId, final int chance)
    {
        if (0 == chance)
        {
            journals[memberId].close();
            journals[memberId] = openMember(memberId);
            final JournalMachine before = machines[memberId];
            final JournalMachine machine = TestCluster.machine(journals[memberId], MEMBERS);
            if (null != snapshots[memberId])
            {
                machine.restore(snapshots[memberId]);
            }
            cluster.replay(machine, positions[memberId]);
            assertEquals(before.lastSequence(), machine.lastSequence());
            assertEquals(before.epoch(), machine.epoch());
            cluster.replace(before, machine);
            machines[memberId] = machine;
            restarts++;
        }
    }

    private void check(final long seed)
    {
        for (int i = 0; i < MEMBERS; i++)
        {
            for (int j = 0; j < MEMBERS; j++)
            {
                // No member drops a part of its log or journal that another member starts with.
                final int memberId = j;
                assertTrue(machines[i].logLimit() <= positions[j], () -> "seed=" + seed + ", member=" + memberId);
                assertTrue(
                    journals[i].firstSequence() <= machines[j].newestSnapshot().sequence() + 1,
                    () -> "seed=" + seed + ", member=" + memberId);
            }
        }
        assertEquals(List.of(machines[0].lastSequence()), List.of(machines[1].lastSequence()), "seed=" + seed);
    }
}
