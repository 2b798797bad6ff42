// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalReader.Limit;
import io.journal.streams.EventHandler;
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
    private volatile long position;
    private volatile boolean isClosed;
    // Guards changes of the position, and whether events up to it were truncated.
    private final Object truncation = new Object();
    private boolean isTruncated;
    // What the journal was truncated to while events were being read.
    private long truncatedAfter = Long.MAX_VALUE;
    // Guarded by the turn.
    private long savedNs;
    private volatile boolean isSaveScheduled;

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
        intervalNs = interval.toNanos();
        position = cursor.sequence();
        savedNs = System.nanoTime();
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
        catch (final RuntimeException ex)
        {
            end(ex);
        }
    }

    void truncateAfter(final long last)
    {
        synchronized (truncation)
        {
            isTruncated |= position > last;
            position = Math.min(position, last);
            truncatedAfter = Math.min(truncatedAfter, last);
        }
        wake();
    }

    @Override
    public void run()
    {
        final int seen = wakes.get();
        boolean isBehind = false;
        Throwable problem = null;
        turn.lock();
        try
        {
            if (!isClosed)
            {
                isBehind = runTurn();
            }
        }
        catch (final Throwable ex)
        {
            problem = ex;
        }
        finally
        {
            turn.unlock();
        }
        if (null != problem || isClosed)
        {
            end(problem);
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
        final long[] count = new long[1];
        boolean isBehind = true;
        try
        {
            while (isBehind && !isClosed && count[0] < TURN)
            {
                checkTruncation();
                final long begin = position;
                final long upTo = streams.read(matcher, new Range(begin, Long.MAX_VALUE, false, step, visibility),
                    (event) ->
                    {
                        handler.onEvent(event);
                        move(event.position());
                        count[0]++;
                    }, () -> isClosed);
                move(Math.max(position, upTo));
                isBehind = position > begin && position < streams.head(visibility);
                saveIfDue();
            }
        }
        catch (final Throwable ex)
        {
            // What was handled before it is not repeated.
            try
            {
                save();
            }
            catch (final RuntimeException second)
            {
                ex.addSuppressed(second);
            }
            throw ex;
        }
        if (isClosed)
        {
            save();
        }

        return isBehind;
    }

    private void move(final long to)
    {
        synchronized (truncation)
        {
            isTruncated |= to > truncatedAfter;
            position = Math.min(position, truncatedAfter);
            if (!isTruncated)
            {
                position = to;
            }
        }
    }

    private void checkTruncation()
    {
        synchronized (truncation)
        {
            if (isTruncated)
            {
                throw new JournalException("events that were handled are truncated: subscription=" + name() +
                    ", after=" + position, null, null, JournalException.UNKNOWN, position);
            }
            truncatedAfter = Long.MAX_VALUE;
        }
    }

    private void saveIfDue()
    {
        if (position != cursor.sequence())
        {
            final long restNs = intervalNs - (System.nanoTime() - savedNs);
            if (restNs <= 0)
            {
                save();
            }
            else if (!isSaveScheduled)
            {
                isSaveScheduled = true;
                CompletableFuture.delayedExecutor(restNs, TimeUnit.NANOSECONDS, (task) -> task.run()).execute(() ->
                {
                    isSaveScheduled = false;
                    wake();
                });
            }
        }
    }

    private void save()
    {
        final long handled = position;
        if (handled != cursor.sequence())
        {
            cursor.save(handled);
        }
        savedNs = System.nanoTime();
    }

    private void end(final @Nullable Throwable cause)
    {
        isClosed = true;
        streams.remove(this);
        if (null == cause)
        {
            failure.complete(null);
        }
        else
        {
            failure.completeExceptionally(cause);
        }
    }

    @Override
    public void close()
    {
        isClosed = true;
        if (!turn.isHeldByCurrentThread())
        {
            turn.lock();
            try
            {
                if (!failure.isDone() && !streams.isJournalClosed())
                {
                    save();
                }
            }
            finally
            {
                turn.unlock();
            }
            end(null);
        }
    }
}
