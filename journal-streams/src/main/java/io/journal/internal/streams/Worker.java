// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BooleanSupplier;

/** A daemon thread that works whenever it is woken, and runs tasks in between. */
final class Worker
{
    private final BooleanSupplier work;
    private final ExecutorService executor;
    private final AtomicBoolean isWoken = new AtomicBoolean();

    /**
     * @param work returns false to be called again after a second.
     */
    Worker(final String name, final BooleanSupplier work)
    {
        this.work = work;
        executor = Executors.newSingleThreadExecutor((task) ->
        {
            final Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    void wake()
    {
        if (isWoken.compareAndSet(false, true))
        {
            execute(this::work);
        }
    }

    private void work()
    {
        isWoken.set(false);
        if (!isClosed() && !work.getAsBoolean())
        {
            CompletableFuture.delayedExecutor(1, TimeUnit.SECONDS, Runnable::run).execute(this::wake);
        }
    }

    /** Returns false if the worker is closed. */
    boolean execute(final Runnable task)
    {
        try
        {
            executor.execute(task);
            return true;
        }
        catch (final RejectedExecutionException ex)
        {
            return false;
        }
    }

    boolean isClosed()
    {
        return executor.isShutdown();
    }

    /** Begins no more work, and ends after the tasks that are left. */
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
