// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Assertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

/** The work of a member beside the log. */
@Tag("slow")
class MaintenanceTest extends ProtocolFixture
{
    @Test
    void errorOfTheThreadEndsTheMember()
    {
        final Error error = new InternalError("a fault of mapped memory");
        final FakeMember member = new FakeMember()
        {
            @Override
            public boolean isLeader()
            {
                throw error;
            }
        };
        final Maintenance maintenance = start(TestCluster.machine(leader, 1), member);

        TestCluster.await("the end", () -> null != member.failure());

        maintenance.close();
        assertSame(error, member.failure());
    }

    @Test
    void reportOfASnapshotIsRepeatedUntilThisSnapshotIsConfirmed()
    {
        final ReportingMember member = new ReportingMember();
        final JournalMachine machine = TestCluster.machine(leader, 1);
        machine.snapshot(100);
        final Maintenance maintenance = start(machine, member);
        TestCluster.await("the first report", () -> member.reported.contains(100L));
        machine.snapshot(200);
        TestCluster.await("the second report", () -> member.reported.contains(200L));
        member.reported.clear();

        member.answers.add(100L);
        TestCluster.await("the second report again", () -> member.reported.contains(200L));
        member.answers.add(200L);
        TestCluster.await("the end of reports", () -> member.closedProposers.get() > 0);

        maintenance.close();
        assertNull(member.failure());
    }

    private static Maintenance start(final JournalMachine machine, final Member member)
    {
        final Maintenance maintenance = new Maintenance(0, machine, member, Long.MAX_VALUE, Assertions::fail);
        maintenance.start();
        return maintenance;
    }

    /** Its reports are answered when the test wants. */
    private static final class ReportingMember extends FakeMember implements Proposer
    {
        // Positions in the log, in bytes.
        private final Queue<Long> reported = new ConcurrentLinkedQueue<>();
        private final Queue<Long> answers = new ConcurrentLinkedQueue<>();
        private final AtomicInteger closedProposers = new AtomicInteger();
        private Replies replies;

        @Override
        public Proposer connect(final Replies newReplies)
        {
            replies = newReplies;
            return this;
        }

        @Override
        public boolean propose(final DirectBuffer message, final int offset, final int length)
        {
            return reported.add(Protocol.extension(message, offset));
        }

        @Override
        public int poll()
        {
            final Long position = answers.poll();
            if (null != position)
            {
                final UnsafeBuffer reply = new UnsafeBuffer(new byte[Protocol.EXTENDED_LENGTH]);
                Protocol.extended(reply, Protocol.CONFIRMED, 0, 0, 0, position);
                replies.onReply(reply, 0, reply.capacity());
            }
            return 0;
        }

        @Override
        public boolean isConnected()
        {
            return true;
        }

        @Override
        public void reconnect()
        {
            // The client is connected already.
        }

        @Override
        public String obstacle()
        {
            return "none";
        }

        /** Closes the proposer only; the test does not close the member. */
        @Override
        public void close()
        {
            closedProposers.incrementAndGet();
        }
    }
}
