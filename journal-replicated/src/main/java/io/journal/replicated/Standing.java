package io.journal.replicated;

import io.journal.JournalException;

/**
 * How a writer stands to the cluster, and what ended it. Changed under the writer's lock, read by any thread.
 */
final class Standing
{
    private final String members;
    private long sinceNs = System.nanoTime();
    private volatile WriterState state = WriterState.FAILING_OVER;
    private volatile JournalException failure;

    Standing(final String members)
    {
        this.members = members;
    }

    WriterState state()
    {
        return state;
    }

    JournalException failure()
    {
        return failure;
    }

    boolean isEnded()
    {
        return null != failure || WriterState.CLOSED == state;
    }

    /**
     * Throws what ended the writer.
     */
    void check(final long lastSequence)
    {
        final JournalException ex = failure;
        if (null != ex)
        {
            throw ex;
        }
        if (WriterState.CLOSED == state)
        {
            throw new IllegalStateException("journal is closed: lastSequence=" + lastSequence);
        }
    }

    void fail(final JournalException ex)
    {
        failure = ex;
    }

    void enter(final WriterState next, final Writer writer)
    {
        final WriterState previous = state;
        if (next != previous)
        {
            final long nowNs = System.nanoTime();
            state = next;
            Events.writerState(members, writer, previous, nowNs - sinceNs);
            sinceNs = nowNs;
        }
    }
}
