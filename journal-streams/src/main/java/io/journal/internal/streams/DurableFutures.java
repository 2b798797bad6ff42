// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;

import io.journal.Journal;
import org.jspecify.annotations.Nullable;

/**
 * Futures of durable positions. One thread waits for one after the other; an fsync that it waits for covers all events
 * that were appended before, so it hardly waits for the next ones.
 */
final class DurableFutures
{
    private final Journal journal;
    private final Executor executor;
    private final Runnable onDurable;
    private final ExecutorService waiter = Executors.newSingleThreadExecutor(
        (task) -> Streams.daemon("journal-streams-durable", task));

    /**
     * @param executor  completes the futures.
     * @param onDurable called when more may be durable, by the thread that waits.
     */
    DurableFutures(final Journal journal, final Executor executor, final Runnable onDurable)
    {
        this.journal = journal;
        this.executor = executor;
        this.onDurable = onDurable;
    }

    CompletableFuture<Void> future(final long position, final Truncations.Mark mark)
    {
        final CompletableFuture<Void> future = new CompletableFuture<>();
        if (position <= journal.forcedSequence())
        {
            future.complete(null);
            return future;
        }
        try
        {
            waiter.execute(() -> await(position, mark, future));
        }
        catch (final RejectedExecutionException ex)
        {
            complete(future, new IllegalStateException("the event store is closed", ex));
        }

        return future;
    }

    /** Called after the journal was closed: what is left is completed. */
    void close()
    {
        waiter.shutdown();
    }

    private void await(final long position, final Truncations.Mark mark, final CompletableFuture<Void> future)
    {
        Throwable failure = null;
        try
        {
            journal.awaitForced(position);
        }
        catch (final Throwable ex)
        {
            failure = ex;
        }
        if (mark.isGone(position) || failure instanceof IllegalArgumentException)
        {
            failure = new IllegalStateException("the event was truncated: position=" + position, failure);
        }
        complete(future, failure);
        onDurable.run();
    }

    private void complete(final CompletableFuture<Void> future, final @Nullable Throwable failure)
    {
        final Runnable completion = () ->
        {
            if (null == failure)
            {
                future.complete(null);
            }
            else
            {
                future.completeExceptionally(failure);
            }
        };
        try
        {
            executor.execute(completion);
        }
        catch (final Throwable ex)
        {
            // The executor was shut down, or has no thread, but the application still waits.
            completion.run();
        }
    }
}
