// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.function.BooleanSupplier;

/** A daemon thread that works whenever it is woken. */
final class Worker implements Runnable
{
    private static final long RETRY_MS = 1_000;

    private final BooleanSupplier work;
    private final Thread thread;
    private boolean hasWork;
    private boolean isClosed;

    /**
     * @param work returns false to be called again after a second.
     */
    Worker(final String name, final BooleanSupplier work)
    {
        this.work = work;
        thread = new Thread(this, name);
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    synchronized void wake()
    {
        hasWork = true;
        notifyAll();
    }

    synchronized boolean isClosed()
    {
        return isClosed;
    }

    /** No more work is begun. */
    synchronized void close()
    {
        isClosed = true;
        notifyAll();
    }

    /** Waits for the end of the thread, also if interrupted. */
    void join()
    {
        boolean isInterrupted = false;
        while (thread.isAlive())
        {
            try
            {
                thread.join();
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }
        }
        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run()
    {
        boolean isDone = true;
        while (await(isDone))
        {
            isDone = work.getAsBoolean();
        }
    }

    private synchronized boolean await(final boolean isDone)
    {
        try
        {
            while (isDone && !hasWork && !isClosed)
            {
                wait();
            }
            if (!isDone && !isClosed)
            {
                wait(RETRY_MS);
            }
        }
        catch (final InterruptedException ex)
        {
            // Nobody has a reason to interrupt this thread.
            isClosed = true;
        }
        hasWork = false;

        return !isClosed;
    }
}
