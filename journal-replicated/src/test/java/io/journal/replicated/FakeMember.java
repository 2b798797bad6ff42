// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

/** A follower without a log, which ends when it fails. */
class FakeMember implements Member
{
    private volatile Throwable failure;

    @Override
    public boolean isLeader()
    {
        return false;
    }

    @Override
    public int leaderId()
    {
        return JournalMember.NO_LEADER;
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
        // There is no log.
    }

    @Override
    public Proposer connect(final Proposer.Replies replies)
    {
        throw new UnsupportedOperationException("it has nothing to report");
    }

    @Override
    public void fail(final Throwable ex)
    {
        failure = ex;
    }

    @Override
    public Throwable failure()
    {
        return failure;
    }

    @Override
    public void close()
    {
        // There is nothing to close.
    }
}
