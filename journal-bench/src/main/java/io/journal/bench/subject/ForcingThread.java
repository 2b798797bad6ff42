package io.journal.bench.subject;

import io.journal.Journal;

/**
 * A thread of the application that fsyncs what another one has appended, as soon as it sees it: what
 * {@link Journal#onForced} replaces.
 */
final class ForcingThread implements AutoCloseable
{
    private final Journal journal;
    private final Thread thread = new Thread(this::run, "forcing");
    private volatile long appended;
    private volatile long forced;
    private volatile boolean isStopped;

    ForcingThread(final Journal journal)
    {
        this.journal = journal;
        appended = journal.lastSequence();
        forced = appended;
        thread.start();
    }

    private void run()
    {
        while (!isStopped)
        {
            final long sequence = appended;
            if (sequence > forced)
            {
                journal.awaitForced(sequence);
                forced = sequence;
            }
            else
            {
                Thread.yield();
            }
        }
    }

    void appended(final long sequence)
    {
        appended = sequence;
    }

    long forced()
    {
        return forced;
    }

    @Override
    public void close()
    {
        isStopped = true;
        boolean wasInterrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ignore)
            {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }
}
