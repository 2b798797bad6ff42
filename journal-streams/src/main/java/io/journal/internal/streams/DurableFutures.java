// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
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
    private final Worker worker;
    private final List<Long> truncations = new CopyOnWriteArrayList<>();

    /**
     * @param onDurable called by the thread when more may be durable.
     */
    DurableFutures(final Journal journal, final Executor executor, final Runnable onDurable)
    {
        this.journal = journal;
        this.executor = executor;
        this.onDurable = onDurable;
        worker = new Worker("journal-streams-durable", () ->
        {
            onDurable.run();
            return true;
        });
    }

    CompletableFuture<Void> future(final long position)
    {
        final CompletableFuture<Void> future = new CompletableFuture<>();
        final int known = truncations.size();
        if (position <= journal.forcedSequence())
        {
            future.complete(null);
        }
        else if (!worker.execute(() -> await(position, known, future)))
        {
            future.completeExceptionally(new IllegalStateException("the event store is closed"));
        }

        return future;
    }

    /** Called when the journal has forced, by a thread that must not wait. */
    void wake()
    {
        worker.wake();
    }

    /** Called before anything is appended again. */
    void truncateAfter(final long position)
    {
        truncations.add(position);
    }

    /** Called after the journal was closed: what is left is completed. */
    void close()
    {
        worker.close();
    }

    private void await(final long position, final int known, final CompletableFuture<Void> future)
    {
        RuntimeException failure = null;
        try
        {
            journal.awaitForced(position);
        }
        catch (final IllegalArgumentException ex)
        {
            // The journal has no such record any more.
            failure = truncated(position);
        }
        catch (final RuntimeException ex)
        {
            failure = ex;
        }
        if (truncations.stream().skip(known).anyMatch((last) -> last < position))
        {
            // Another event may have its position now.
            failure = truncated(position);
        }
        complete(future, failure);
        onDurable.run();
    }

    private static IllegalStateException truncated(final long position)
    {
        return new IllegalStateException("the event was truncated: position=" + position);
    }

    private void complete(final CompletableFuture<Void> future, final @Nullable RuntimeException failure)
    {
        final Runnable task = () ->
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
            executor.execute(task);
        }
        catch (final RejectedExecutionException ex)
        {
            // The application has shut its executor down, but still waits.
            task.run();
        }
    }
}
