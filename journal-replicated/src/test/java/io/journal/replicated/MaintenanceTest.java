package io.journal.replicated;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Role;
import io.journal.replicated.support.LogRecords;
import io.journal.replicated.support.TestCluster;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static java.nio.ByteOrder.LITTLE_ENDIAN;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;

/**
 * What a member does beside the log.
 */
@Tag("slow")
class MaintenanceTest extends ProtocolFixture
{
    @Test
    void errorOfTheThreadEndsTheMember()
    {
        final BrokenMember member = new BrokenMember();
        final List<Throwable> errors = new CopyOnWriteArrayList<>();
        final Maintenance maintenance =
            new Maintenance(0, new JournalMachine(leader, 1), member, Long.MAX_VALUE, errors::add);
        maintenance.start();

        TestCluster.await("the end", () -> member.closed.get() > 0);

        maintenance.close();
        assertSame(member.error, maintenance.failure());
        assertEquals(1, errors.size());
        assertSame(member.error, errors.get(0).getCause());
    }

    @Test
    void maintenanceContinuesAfterTheErrorHandlerHasThrown()
    {
        final AtomicInteger calls = new AtomicInteger();
        final Member member = new FakeMember()
        {
            @Override
            public Role role()
            {
                calls.incrementAndGet();
                throw new IllegalStateException("the member's");
            }
        };
        try (LogRecords log = new LogRecords("io.journal.replicated"))
        {
            final Maintenance maintenance =
                new Maintenance(0, new JournalMachine(leader, 1), member, Long.MAX_VALUE, (error) ->
                {
                    throw new AssertionError("the handler's", error);
                });
            maintenance.start();

            TestCluster.await("another attempt", () -> calls.get() > 1);

            maintenance.close();
            assertNull(maintenance.failure());
            assertEquals("the member's", log.thrown().get(0).getMessage());
            assertEquals("the handler's", log.thrown().get(1).getMessage());
        }
    }

    @Test
    void answerToTheReportOfAnOlderSnapshotIsNoneToThatOfTheNewest()
    {
        final ReportingMember member = new ReportingMember();
        final JournalMachine machine = new JournalMachine(leader, 1);
        machine.snapshot(100);
        final Maintenance maintenance = new Maintenance(0, machine, member, Long.MAX_VALUE, (ex) ->
        {
        });
        maintenance.start();
        TestCluster.await("the first report", () -> member.reported.contains(100L));
        machine.snapshot(200);
        TestCluster.await("the second report", () -> member.reported.contains(200L));
        member.reported.clear();

        member.answers.add(100L);
        TestCluster.await("the second report again", () -> member.reported.contains(200L));
        member.answers.add(200L);
        TestCluster.await("the end of reports", () -> member.closedProposers.get() > 0);

        maintenance.close();
        assertNull(maintenance.failure());
    }

    /** Its counters are not there any more. */
    private static final class BrokenMember extends FakeMember
    {
        private final Error error = new InternalError("a fault of mapped memory");
        private final AtomicInteger closed = new AtomicInteger();

        @Override
        public Role role()
        {
            throw error;
        }

        @Override
        public void close()
        {
            closed.incrementAndGet();
        }
    }

    /** Its reports are answered when the test wants. */
    private static final class ReportingMember extends FakeMember
    {
        // In bytes of the log.
        private final Queue<Long> reported = new ConcurrentLinkedQueue<>();
        private final Queue<Long> answers = new ConcurrentLinkedQueue<>();
        private final AtomicInteger closedProposers = new AtomicInteger();

        @Override
        public Proposer connect(final Replies replies)
        {
            return new Proposer()
            {
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
                        Protocol.header(reply, Protocol.CONFIRMED, 0, 0, 0);
                        reply.putLong(Protocol.EXTENSION_OFFSET, position, LITTLE_ENDIAN);
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
                    // It is connected.
                }

                @Override
                public String obstacle()
                {
                    return "none";
                }

                @Override
                public void close()
                {
                    closedProposers.incrementAndGet();
                }
            };
        }
    }
}
