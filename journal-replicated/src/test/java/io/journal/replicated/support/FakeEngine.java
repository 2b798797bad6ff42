package io.journal.replicated.support;

import java.nio.file.Path;

import io.journal.replicated.spi.Engine;
import io.journal.replicated.spi.Member;
import io.journal.replicated.spi.MemberOptions;
import io.journal.replicated.spi.StateMachine;

/** An engine without files, whose members are the test's. */
public abstract class FakeEngine implements Engine
{
    @Override
    public void check()
    {
        // It needs nothing.
    }

    @Override
    public Member start(final MemberOptions options, final StateMachine machine)
    {
        throw new UnsupportedOperationException("the test has its members");
    }

    @Override
    public int maxMessageLength(final Path directory)
    {
        return Integer.MAX_VALUE;
    }

    @Override
    public void copy(final Path source, final Path target)
    {
        throw new UnsupportedOperationException("there are no files");
    }
}
