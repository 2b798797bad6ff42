package io.journal.replicated;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;

import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Role;
import io.journal.replicated.support.TestCluster;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

/**
 * What a member does beside the log.
 */
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

    /** Its counters are not there any more. */
    private static final class BrokenMember implements Member
    {
        private final Error error = new InternalError("a fault of mapped memory");
        private final AtomicInteger closed = new AtomicInteger();

        @Override
        public Role role()
        {
            throw error;
        }

        @Override
        public int leaderId()
        {
            return Members.NONE;
        }

        @Override
        public long commitPosition()
        {
            return 0;
        }

        @Override
        public boolean requestSnapshot()
        {
            return false;
        }

        @Override
        public void truncateLog(final long logPosition)
        {
            // There is none.
        }

        @Override
        public Proposer connect(final Replies replies)
        {
            throw new UnsupportedOperationException("it has ended before");
        }

        @Override
        public Throwable failure()
        {
            return null;
        }

        @Override
        public void close()
        {
            closed.incrementAndGet();
        }
    }
}
