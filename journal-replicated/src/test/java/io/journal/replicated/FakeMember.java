package io.journal.replicated;

import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.Members;
import io.journal.replicated.spi.Proposer;
import io.journal.replicated.spi.Replies;
import io.journal.replicated.spi.Role;

/** A follower without a log. */
abstract class FakeMember implements Member
{
    @Override
    public Role role()
    {
        return Role.FOLLOWER;
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
        throw new UnsupportedOperationException("it has nothing to report");
    }

    @Override
    public Throwable failure()
    {
        return null;
    }

    @Override
    public void close()
    {
        // Nothing to close.
    }
}
