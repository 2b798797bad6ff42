// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.JournalCursor;
import io.journal.JournalReader.Limit;
import io.journal.streams.EventHandler;
import io.journal.streams.EventView;
import io.journal.streams.Range;
import io.journal.streams.Subscription;
import org.jspecify.annotations.Nullable;

/** A consumer that runs on the application's executor, in turns, of which one is scheduled at most. */
final class LocalSubscription implements Subscription, Runnable
{
    // Events of a turn: then the executor may run something else.
    private static final int TURN = 4096;
    // Events between two looks at the clock.
    private static final int STEP = 256;

    private final Streams streams;
    private final JournalCursor cursor;
    private final Matcher matcher;
    private final Limit visibility;
    private final EventHandler handler;
    private final Executor executor;
    private final long intervalNs;
    private final CompletableFuture<Void> failure = new CompletableFuture<>();
    // Held while a turn runs.
    private final ReentrantLock turn = new ReentrantLock();
    private final AtomicInteger wakes = new AtomicInteger();
    private final AtomicBoolean isSaveScheduled = new AtomicBoolean();
    private volatile long position;
    private volatile boolean isClosed;
    private volatile @Nullable Throwable problem;
    private boolean hasStopped;
    private volatile long savedNs = System.nanoTime();

    LocalSubscription(
        final Streams streams,
        final JournalCursor cursor,
        final Matcher matcher,
        final Limit visibility,
        final EventHandler handler,
        final Executor executor,
        final Duration interval)
    {
        this.streams = streams;
        this.cursor = cursor;
        this.matcher = matcher;
        this.visibility = visibility;
        this.handler = handler;
        this.executor = executor;
        intervalNs = TimeUnit.NANOSECONDS.convert(interval);
        position = cursor.sequence();
    }

    String name()
    {
        return cursor.name();
    }

    Limit visibility()
    {
        return visibility;
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public CompletableFuture<Void> failure()
    {
        return failure;
    }

    /** There may be more events. */
    void wake()
    {
        if (!isClosed && 0 == wakes.getAndIncrement())
        {
            submit();
        }
    }

    private void submit()
    {
        try
        {
            executor.execute(this);
        }
        catch (final Throwable ex)
        {
            stop(ex);
            end();
        }
    }

    @Override
    public void run()
    {
        final int seen = wakes.get();
        boolean isBehind = false;
        turn.lock();
        try
        {
            isBehind = runTurn();
        }
        catch (final Throwable ex)
        {
            problem = null == problem ? ex : problem;
            isClosed = true;
        }
        finally
        {
            turn.unlock();
        }
        if (isClosed)
        {
            end();
        }
        else if (isBehind || 0 != wakes.addAndGet(-seen))
        {
            submit();
        }
    }

    /** Returns whether there is more to do. */
    private boolean runTurn()
    {
        final int step = 0 == intervalNs ? 1 : STEP;
        final long end = position + TURN;
        boolean isBehind = true;
        while (isBehind && !isClosed && position < end)
        {
            final Range range = new Range(position, Long.MAX_VALUE, false, step, visibility);
            position = Math.max(position, streams.read(matcher, range, this::onEvent, () -> isClosed));
            isBehind = position < streams.head(visibility);
            saveIfDue();
        }

        return isBehind;
    }

    private void onEvent(final EventView event)
    {
        handler.onEvent(event);
        position = event.position();
    }

    private void saveIfDue()
    {
        final long restNs = intervalNs - (System.nanoTime() - savedNs);
        if (restNs <= 0)
        {
            save();
        }
        else if (position != cursor.sequence() && isSaveScheduled.compareAndSet(false, true))
        {
            CompletableFuture.delayedExecutor(restNs, TimeUnit.NANOSECONDS, Runnable::run).execute(() ->
            {
                isSaveScheduled.set(false);
                wake();
            });
        }
    }

    private synchronized void save()
    {
        if (!hasStopped && position != cursor.sequence())
        {
            cursor.save(position);
        }
        savedNs = System.nanoTime();
    }

    /** No event is passed any more, and no position saved. */
    synchronized void stop(final Throwable cause)
    {
        problem = null == problem ? cause : problem;
        isClosed = true;
        hasStopped = true;
    }

    /** Completes the end, after the last turn. What was handled is saved, so that it is not repeated. */
    private void end()
    {
        try
        {
            save();
        }
        catch (final Throwable ex)
        {
            stop(ex);
        }
        synchronized (this)
        {
            hasStopped = true;
        }
        streams.remove(this);
        final Throwable found = problem;
        if (null == found)
        {
            failure.complete(null);
        }
        else
        {
            failure.completeExceptionally(found);
        }
    }

    /** Ends a stopped subscription. A turn in progress ends it itself, when its handler has returned. */
    void endUnlessInTurn()
    {
        if (turn.tryLock())
        {
            turn.unlock();
            end();
        }
    }

    @Override
    public void close()
    {
        isClosed = true;
        if (!turn.isHeldByCurrentThread())
        {
            // Waits for a turn in progress.
            turn.lock();
            turn.unlock();
            end();
        }
    }
}
