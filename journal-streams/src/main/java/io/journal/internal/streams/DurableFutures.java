// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.journal.Journal;
import org.jspecify.annotations.Nullable;

/**
 * Futures of durable positions. A thread waits for the newest of them; those that come meanwhile share its next fsync.
 */
final class DurableFutures implements Runnable
{
    private record Waiting(long position, CompletableFuture<Void> future)
    {
    }

    private final Journal journal;
    private final Executor executor;
    private final Runnable onDurable;
    private final Thread thread;
    private final PriorityQueue<Waiting> queue = new PriorityQueue<>(Comparator.comparingLong(Waiting::position));
    private long newest;
    private boolean hasNews;
    private boolean isClosed;

    /**
     * @param onDurable called by the thread when more may be durable.
     */
    DurableFutures(final Journal journal, final Executor executor, final Runnable onDurable)
    {
        this.journal = journal;
        this.executor = executor;
        this.onDurable = onDurable;
        thread = new Thread(this, "journal-streams-durable");
        thread.setDaemon(true);
    }

    void start()
    {
        thread.start();
    }

    CompletableFuture<Void> future(final long position)
    {
        if (position <= journal.forcedSequence())
        {
            return CompletableFuture.completedFuture(null);
        }
        synchronized (this)
        {
            if (isClosed)
            {
                return CompletableFuture.failedFuture(new IllegalStateException("the event store is closed"));
            }
            final CompletableFuture<Void> future = new CompletableFuture<>();
            queue.add(new Waiting(position, future));
            newest = Math.max(newest, position);
            notifyAll();

            return future;
        }
    }

    /** Called when the journal has forced, by any thread. */
    synchronized void wake()
    {
        hasNews = true;
        notifyAll();
    }

    void truncateAfter(final long position)
    {
        final List<CompletableFuture<Void>> gone = new ArrayList<>();
        synchronized (this)
        {
            queue.removeIf((waiting) -> waiting.position > position && gone.add(waiting.future));
            newest = Math.min(newest, position);
        }
        complete(gone, new IllegalStateException("events were truncated: after=" + position));
    }

    /** Completes what is left, after the journal was closed. */
    void close()
    {
        synchronized (this)
        {
            isClosed = true;
            notifyAll();
        }
        settle(new IllegalStateException("the event store is closed"));
    }

    @Override
    public void run()
    {
        long target = next();
        while (target >= 0)
        {
            RuntimeException failure = null;
            try
            {
                if (target > 0)
                {
                    journal.awaitForced(Math.min(target, journal.lastSequence()));
                }
            }
            catch (final RuntimeException ex)
            {
                failure = ex;
            }
            settle(failure);
            onDurable.run();
            target = next();
        }
    }

    /** The position to wait for; 0 if there is only news, -1 if this is closed. */
    private synchronized long next()
    {
        while (queue.isEmpty() && !hasNews && !isClosed)
        {
            try
            {
                wait();
            }
            catch (final InterruptedException ex)
            {
                // Nobody has a reason to interrupt this thread.
                isClosed = true;
            }
        }
        hasNews = false;

        return isClosed ? -1 : queue.isEmpty() ? 0 : newest;
    }

    /** Completes the futures of durable positions, and all others if there is a failure. */
    private void settle(final @Nullable RuntimeException failure)
    {
        final List<CompletableFuture<Void>> durable = new ArrayList<>();
        final List<CompletableFuture<Void>> failed = new ArrayList<>();
        synchronized (this)
        {
            final long forced = journal.forcedSequence();
            while (!queue.isEmpty() && queue.peek().position <= forced)
            {
                durable.add(queue.remove().future);
            }
            if (null != failure)
            {
                queue.forEach((waiting) -> failed.add(waiting.future));
                queue.clear();
            }
        }
        complete(durable, null);
        complete(failed, failure);
    }

    private void complete(final List<CompletableFuture<Void>> futures, final @Nullable RuntimeException failure)
    {
        if (!futures.isEmpty())
        {
            final Runnable task = () ->
            {
                for (final CompletableFuture<Void> future : futures)
                {
                    if (null == failure)
                    {
                        future.complete(null);
                    }
                    else
                    {
                        future.completeExceptionally(failure);
                    }
                }
            };
            try
            {
                executor.execute(task);
            }
            catch (final RejectedExecutionException ex)
            {
                // The application has shut its executor down, but still waits.
                task.run();
            }
        }
    }
}
