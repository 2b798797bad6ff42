package io.journal.internal.write;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.files.FailureLatch;

/**
 * Which thread uses the memory in which records are composed, and which one releases it once the journal is closed.
 * <p>
 * Entering costs a release store and a load of the latch. A fence between the two would cost each record as much as its
 * checksum, so {@link #close()} pays instead: it closes the latch, then takes the stack trace of the last user. That
 * brings the thread to a safepoint, across which neither access moves. Afterwards either the store is visible to the
 * closing thread, or the user sees the closed latch and leaves without touching the memory. A claim is memory that the
 * user writes outside of any call: {@code close()} does not wait for it, it leaves the release to the claim's thread.
 */
final class AppenderGate
{
    private static final int FREE = 0;
    private static final int BUSY = 1;
    private static final int CLAIMED = 2;
    /** Closed while another thread holds a claim: it can no longer be committed. */
    private static final int ORPHANED = 3;
    /** As before, and close() has ended: the claim's thread releases the memory. */
    private static final int LEFT = 4;

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
    private volatile Runnable release;
    private int state = FREE;

    AppenderGate(final FailureLatch latch)
    {
        this.latch = latch;
    }

    /**
     * Enters to append; {@link #leave()} or {@link #claimed()} must follow. For one thread at a time.
     */
    void enter()
    {
        if (FREE != state)
        {
            throw inUse();
        }
        // Not before the check: a refused thread must not be taken for the holder of a claim.
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
     * Enters to change what is appended already. For any thread; {@link #leave()} must follow.
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

    /**
     * Enters to commit or abort a claim.
     *
     * @return false if the claim was orphaned, or aborted by {@link #close()}.
     */
    boolean enterClaimed()
    {
        return STATE.compareAndSet(this, CLAIMED, BUSY);
    }

    boolean isOrphaned()
    {
        return ORPHANED <= (int)STATE.getAcquire(this);
    }

    void leaveOrphaned()
    {
        if (!STATE.compareAndSet(this, ORPHANED, FREE))
        {
            leave();
            release.run();
        }
    }

    /**
     * Waits until no other thread is inside. The latch is closed, so that none stays when it enters again.
     *
     * @return false if another thread holds a claim; otherwise an open claim is the caller's to abort.
     */
    boolean close()
    {
        final Thread user = this.user;
        if (null == user || Thread.currentThread() == user)
        {
            return true;
        }

        user.getStackTrace();
        boolean isOrphaned = false;
        boolean wasInterrupted = false;
        int state = (int)STATE.getVolatile(this);
        while (!isOrphaned && (BUSY == state || CLAIMED == state) && user.isAlive())
        {
            if (BUSY == state)
            {
                LockSupport.parkNanos(this, WAIT_NS);
                // It would not park.
                wasInterrupted |= Thread.interrupted();
            }
            isOrphaned = STATE.compareAndSet(this, CLAIMED, ORPHANED);
            state = (int)STATE.getVolatile(this);
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }

        return !isOrphaned;
    }

    /**
     * Has the memory released, after {@link #close()}: now, or by the thread that holds an orphaned claim.
     */
    void release(final Runnable release)
    {
        this.release = release;
        if (!STATE.compareAndSet(this, ORPHANED, LEFT))
        {
            release.run();
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
