package io.journal.examples.bank.command;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Commands that are decided and wait to become durable, in the order of their events. The writing thread adds them; the
 * journal's background agent calls the durability listener, which answers them. The lock keeps an addition from missing
 * the fsync that completes at the same moment.
 */
final class DurableAnswers
{
    private final ReentrantLock lock = new ReentrantLock();
    // Held while futures are completed: closing the bank waits for those that the listener has taken.
    private final ReentrantLock answering = new ReentrantLock();

    // Guarded by the lock.
    private final Deque<Pending> waiting = new ArrayDeque<>();
    private long durableSequence;
    private Throwable failure;

    DurableAnswers(final long durableSequence)
    {
        this.durableSequence = durableSequence;
    }

    void add(final Pending pending)
    {
        final boolean isDurable;
        final Throwable cause;
        lock.lock();
        try
        {
            isDurable = pending.durableSequence() <= durableSequence;
            cause = failure;
            if (!isDurable && null == cause)
            {
                // Decided after everything that waits, so it never needs less.
                waiting.add(pending);
            }
        }
        finally
        {
            lock.unlock();
        }

        if (isDurable)
        {
            pending.complete();
        }
        else if (null != cause)
        {
            pending.future.completeExceptionally(cause);
        }
    }

    /** The durability listener. */
    void onForced(final long sequence)
    {
        answering.lock();
        try
        {
            takeDurable(sequence).forEach(Pending::complete);
        }
        finally
        {
            answering.unlock();
        }
    }

    private List<Pending> takeDurable(final long sequence)
    {
        final List<Pending> durable = new ArrayList<>();
        lock.lock();
        try
        {
            durableSequence = Math.max(durableSequence, sequence);
            while (!waiting.isEmpty() && waiting.peek().durableSequence() <= durableSequence)
            {
                durable.add(waiting.remove());
            }
        }
        finally
        {
            lock.unlock();
        }

        return durable;
    }

    /** Whether the calling thread is inside a callback of an answer. */
    boolean isAnswering()
    {
        return answering.isHeldByCurrentThread();
    }

    /** Nothing more becomes durable: whether the events that wait are in the journal is known after reopening. */
    void fail(final Throwable cause)
    {
        final List<Pending> failed;
        lock.lock();
        try
        {
            failure = cause;
            failed = new ArrayList<>(waiting);
            waiting.clear();
        }
        finally
        {
            lock.unlock();
        }

        failed.forEach((pending) -> pending.future.completeExceptionally(cause));
    }
}
