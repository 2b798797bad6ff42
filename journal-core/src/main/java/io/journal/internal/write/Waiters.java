package io.journal.internal.write;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;

/**
 * The threads that wait for another thread's fsync, in the order in which they came. Lock-free.
 */
final class Waiters
{
    private final Queue<Waiter> queue = new ConcurrentLinkedQueue<>();

    static final class Waiter
    {
        final long sequence;
        // The record was truncated; another record may get its sequence.
        volatile boolean isTruncated;
        private final Thread thread = Thread.currentThread();

        Waiter(final long sequence)
        {
            this.sequence = sequence;
        }
    }

    Waiter add(final long sequence)
    {
        final Waiter waiter = new Waiter(sequence);
        queue.add(waiter);
        return waiter;
    }

    void remove(final Waiter waiter)
    {
        queue.remove(waiter);
    }

    int count()
    {
        return queue.size();
    }

    boolean isEmpty()
    {
        return queue.isEmpty();
    }

    void truncatedAfter(final long sequence)
    {
        for (final Waiter waiter : queue)
        {
            waiter.isTruncated |= waiter.sequence > sequence;
        }
    }

    /** Wakes the first thread whose record is not durable, to lead the next fsync, or all of them. */
    void wakeUnserved(final long forcedSequence, final boolean isAll)
    {
        for (final Waiter waiter : queue)
        {
            if (waiter.sequence > forcedSequence)
            {
                LockSupport.unpark(waiter.thread);
                if (!isAll)
                {
                    return;
                }
            }
        }
    }

    /** Wakes the threads whose records are durable. They come back to append: those that wait again are left alone. */
    void wakeServed(final long forcedSequence)
    {
        for (final Waiter waiter : queue)
        {
            if (waiter.sequence <= forcedSequence)
            {
                LockSupport.unpark(waiter.thread);
            }
        }
    }
}
