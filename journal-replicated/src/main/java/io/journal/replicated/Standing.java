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
    // Whether the thread has received the failure. Kept by the thread: a writer that has ended keeps none.
    private final ThreadLocal<Boolean> isReceived = ThreadLocal.withInitial(() -> false);

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
            isReceived.set(true);
            throw ex;
        }
        if (WriterState.CLOSED == state)
        {
            throw new IllegalStateException("journal is closed: lastSequence=" + lastSequence);
        }
    }

    /** {@return whether the calling thread has received what ended the writer} */
    boolean isReceived()
    {
        return isReceived.get();
    }

    /**
     * Ends the writer, unless it has ended: the first cause is the one that stays.
     */
    void fail(final WriterState end, final JournalException ex, final Writer writer)
    {
        if (!isEnded())
        {
            failure = ex;
            change(end, writer);
        }
    }

    /**
     * @param ex throws what is in flight, unless something else does; null if nothing is.
     */
    void close(final JournalException ex, final Writer writer)
    {
        failure = null == failure ? ex : failure;
        change(WriterState.CLOSED, writer);
    }

    /**
     * Enters a state of the connection. That of a writer that has ended is of no interest.
     */
    void enter(final WriterState next, final Writer writer)
    {
        if (!isEnded())
        {
            change(next, writer);
        }
    }

    private void change(final WriterState next, final Writer writer)
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
