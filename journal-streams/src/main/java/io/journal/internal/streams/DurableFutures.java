// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;

import io.journal.Journal;
import org.jspecify.annotations.Nullable;

/**
 * Futures of durable positions. A thread waits for the newest of them; those that come meanwhile share its next fsync.
 */
final class DurableFutures
{
    private record Waiting(long position, CompletableFuture<Void> future)
    {
    }

    private final Journal journal;
    private final Executor executor;
    private final Runnable onDurable;
    private final Worker worker = new Worker("journal-streams-durable", this::work);
    private final List<Waiting> waiting = new ArrayList<>();

    /**
     * @param onDurable called by the thread when more may be durable.
     */
    DurableFutures(final Journal journal, final Executor executor, final Runnable onDurable)
    {
        this.journal = journal;
        this.executor = executor;
        this.onDurable = onDurable;
    }

    CompletableFuture<Void> future(final long position)
    {
        final CompletableFuture<Void> future = new CompletableFuture<>();
        if (position <= journal.forcedSequence())
        {
            future.complete(null);
            return future;
        }
        synchronized (this)
        {
            if (worker.isClosed())
            {
                future.completeExceptionally(new IllegalStateException("the event store is closed"));
                return future;
            }
            waiting.add(new Waiting(position, future));
        }
        worker.wake();

        return future;
    }

    /** Called when the journal has forced, by any thread. */
    void wake()
    {
        worker.wake();
    }

    private boolean work()
    {
        RuntimeException failure = null;
        try
        {
            final long newest;
            synchronized (this)
            {
                newest = waiting.stream().mapToLong(Waiting::position).max().orElse(0);
            }
            journal.awaitForced(Math.min(newest, journal.lastSequence()));
        }
        catch (final RuntimeException ex)
        {
            failure = ex;
        }
        settle(journal.forcedSequence(), failure);
        onDurable.run();

        return true;
    }

    void truncateAfter(final long position)
    {
        settle(position, new IllegalStateException("events were truncated: after=" + position));
    }

    /** Completes what is left, after the journal was closed. */
    void close()
    {
        synchronized (this)
        {
            worker.close();
        }
        settle(journal.forcedSequence(), new IllegalStateException("the event store is closed"));
    }

    /** Completes the futures up to a durable position, and fails all others if there is a failure. */
    private void settle(final long durable, final @Nullable RuntimeException failure)
    {
        final List<Runnable> settled = new ArrayList<>();
        synchronized (this)
        {
            for (final Waiting each : waiting)
            {
                if (each.position <= durable)
                {
                    settled.add(() -> each.future.complete(null));
                }
                else if (null != failure)
                {
                    settled.add(() -> each.future.completeExceptionally(failure));
                }
            }
            waiting.removeIf((each) -> null != failure || each.position <= durable);
        }
        try
        {
            if (!settled.isEmpty())
            {
                executor.execute(() -> settled.forEach(Runnable::run));
            }
        }
        catch (final RejectedExecutionException ex)
        {
            // The application has shut its executor down, but still waits.
            settled.forEach(Runnable::run);
        }
    }
}
