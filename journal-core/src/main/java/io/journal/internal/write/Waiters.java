// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * The threads that wait for another thread's fsync, in the order in which they came. Lock-free.
 */
final class Waiters
{
    private static final Consumer<Waiter> WAKE = (waiter) -> LockSupport.unpark(waiter.thread);

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

    /** Wakes all threads. Allocates nothing: it also runs when an OutOfMemoryError has failed the journal. */
    void wakeAll()
    {
        queue.forEach(WAKE);
    }

    /** Wakes the first thread whose record is not durable, to lead the next fsync. */
    void wakeUnserved(final long forcedSequence)
    {
        for (final Waiter waiter : queue)
        {
            if (waiter.sequence > forcedSequence)
            {
                LockSupport.unpark(waiter.thread);
                return;
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
