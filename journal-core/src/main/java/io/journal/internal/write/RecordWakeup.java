// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.lang.invoke.VarHandle;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

import org.jspecify.annotations.Nullable;

/**
 * Wakes threads that wait for one of the journal's ends to move on. Lock-free.
 * <p>
 * The thread that moves the end pays a load while no thread waits, and one unpark while some do: the first thread that
 * is woken wakes the others. A fence between publishing the end and that load would cost each record as much as its
 * checksum. Without it the load may miss a thread that has just begun to wait, and has not seen the end either. So the
 * first park in a row is short, after which both are visible. No park is longer than {@link #MAX_PARK_NS}, whatever
 * went wrong.
 */
public final class RecordWakeup
{
    /** A thread that has waited this long parks until it is woken. Before that it polls, which delays no appender. */
    public static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private static final long FIRST_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_PARK_NS = TimeUnit.SECONDS.toNanos(1);
    private static final Consumer<Thread> UNPARK = LockSupport::unpark;

    private final Queue<Thread> waiting = new ConcurrentLinkedQueue<>();
    private volatile boolean isAwaited;
    private volatile boolean isRelayDue;
    private volatile @Nullable Runnable resting;

    /** Wakes the threads that wait. Call after the end was published. */
    public void moved()
    {
        if (isAwaited)
        {
            wake();
        }
    }

    private void wake()
    {
        isAwaited = false;
        // Stored before the queue is read; a leaving thread does the reverse. So one waiting thread relays the wake-up.
        isRelayDue = true;
        LockSupport.unpark(waiting.peek());
        final Runnable wake = resting;
        if (null != wake)
        {
            wake.run();
        }
    }

    /** Sets an action to run when the end moves next, besides waking threads; null for none. */
    void rest(final @Nullable Runnable wake)
    {
        resting = wake;
        if (null != wake)
        {
            await();
        }
    }

    /** Wakes the threads that wait, for a reason other than a record. */
    public void wakeAll()
    {
        waiting.forEach(UNPARK);
    }

    /**
     * The calling thread begins to wait: after this call, and before it parks, it checks whether it still has to wait.
     */
    public void begin()
    {
        waiting.add(Thread.currentThread());
        await();
    }

    /**
     * Parks the calling thread, which is to check again afterwards.
     *
     * @param isFirst whether it has not parked since {@link #begin()}, or since this method has returned true.
     * @return whether it was woken by an end that moved: if it parks again, that counts as the first time.
     */
    public boolean park(final boolean isFirst, final long maxNs)
    {
        LockSupport.parkNanos(this, Math.min(maxNs, isFirst ? FIRST_PARK_NS : MAX_PARK_NS));
        final boolean isWoken = !isAwaited;
        relay();
        await();
        return isWoken;
    }

    /** The calling thread stops waiting. */
    public void end()
    {
        waiting.remove(Thread.currentThread());
        relay();
    }

    private void await()
    {
        isAwaited = true;
        VarHandle.fullFence();
    }

    private void relay()
    {
        if (isRelayDue)
        {
            isRelayDue = false;
            wakeAll();
        }
    }
}
