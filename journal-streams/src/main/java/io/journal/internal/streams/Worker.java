// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** A daemon thread that works whenever it is woken. */
final class Worker
{
    private final BooleanSupplier work;
    private final ScheduledThreadPoolExecutor executor;
    private final AtomicBoolean isWoken = new AtomicBoolean();

    /**
     * @param work returns false to be called again after a second.
     */
    Worker(final String name, final BooleanSupplier work)
    {
        this.work = work;
        executor = new ScheduledThreadPoolExecutor(1, (task) ->
        {
            final Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        }, new ThreadPoolExecutor.DiscardPolicy());
        executor.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    void wake()
    {
        if (isWoken.compareAndSet(false, true))
        {
            executor.execute(this::run);
        }
    }

    private void run()
    {
        isWoken.set(false);
        if (!work.getAsBoolean())
        {
            executor.schedule(this::wake, 1, TimeUnit.SECONDS);
        }
    }

    boolean isClosed()
    {
        return executor.isShutdown();
    }

    /** Begins no more work. */
    void close()
    {
        executor.shutdown();
    }

    /** Waits for the end of what is in progress, also if interrupted. */
    void join()
    {
        boolean isInterrupted = false;
        while (!executor.isTerminated())
        {
            try
            {
                executor.awaitTermination(1, TimeUnit.DAYS);
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
}
