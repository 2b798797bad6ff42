// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.files.FailureLatch;

/**
 * Tracks which thread uses the memory in which frames are composed.
 * <p>
 * Entering costs a release store and a load of the latch. A fence between the two would cost each record as much as its
 * checksum, so {@link #close()} pays instead: it closes the latch, then takes the stack trace of the last user. That
 * brings the thread to a safepoint, across which neither access moves. Afterwards either the store is visible to the
 * closing thread, or the user sees the closed latch and leaves without touching the memory. A claim has memory of its
 * own: while it is open nothing else is appended, but {@code close()} does not wait for it.
 */
final class AppenderGate
{
    private static final int FREE = 0;
    private static final int BUSY = 1;
    private static final int CLAIMED = 2;

    private static final long WAIT_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final VarHandle STATE;

    static
    {
        try
        {
            STATE = MethodHandles.lookup().findVarHandle(AppenderGate.class, "state", int.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final FailureLatch latch;
    private volatile Thread user;
    private int state = FREE;

    AppenderGate(final FailureLatch latch)
    {
        this.latch = latch;
    }

    /**
     * Enters to append, or to claim: {@link #leave()} or {@link #claimed()} must follow. For one thread at a time.
     */
    void enter()
    {
        if (FREE != state)
        {
            throw inUse();
        }
        // Set only after the check: a refused thread must not be taken for the holder of a claim.
        if (Thread.currentThread() != user)
        {
            user = Thread.currentThread();
        }
        STATE.setRelease(this, BUSY);
        if (!latch.isOpen())
        {
            leave();
            latch.check();
        }
    }

    /**
     * Enters to change the journal without appending. For any thread; {@link #leave()} must follow.
     */
    void enterExclusively()
    {
        if (!STATE.compareAndSet(this, FREE, BUSY))
        {
            throw inUse();
        }
        user = Thread.currentThread();
    }

    void leave()
    {
        STATE.setRelease(this, FREE);
    }

    void claimed()
    {
        STATE.setRelease(this, CLAIMED);
    }

    /** Waits until no other thread is inside. The latch is closed, so that none stays when it enters again. */
    void close()
    {
        final Thread user = this.user;
        if (null == user || Thread.currentThread() == user)
        {
            return;
        }

        user.getStackTrace();
        boolean wasInterrupted = false;
        while (BUSY == (int)STATE.getVolatile(this) && user.isAlive())
        {
            LockSupport.parkNanos(this, WAIT_NS);
            // An interrupted thread would not park.
            wasInterrupted |= Thread.interrupted();
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /** The exception for a thread that must not enter. The state may change meanwhile: the message says what it was. */
    private IllegalStateException inUse()
    {
        latch.check();
        final int state = (int)STATE.getAcquire(this);
        if (CLAIMED != state)
        {
            return new IllegalStateException(
                "another thread is appending: several threads need the journal's sharedAppender()");
        }

        return new IllegalStateException(
            Thread.currentThread() == user ? "a claim is open: commit or close it first" :
                "another thread holds an open claim: thread=" + user.getName());
    }
}
