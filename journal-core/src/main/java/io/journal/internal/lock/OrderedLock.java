// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.lock;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A reentrant lock with a place in the order of {@link Level}. If assertions are enabled, a thread that would wait
 * for a lock out of order fails instead. Without assertions it is a plain lock.
 */
public final class OrderedLock
{
    /**
     * The order in which a thread takes the locks of a journal: from the first level down, at most one lock of a level.
     * <p>
     * Besides these there are monitors of single objects. The monitors of files are leaves: no other lock is taken
     * under them. A follower has none of the locks below; under its monitors only its files' monitors are taken. The
     * durability listener's monitor comes before all levels, since the application's code runs under it.
     */
    public enum Level
    {
        /**
         * Serializes saving, loading and discarding snapshots, pruning by snapshots, and backups. The only level under
         * which code of the application runs, so it is not one lock with {@link #MANAGE}.
         */
        SNAPSHOTS,

        /** Excludes prune, retention, truncation and backup from one another, and from closing the files. */
        MANAGE,

        /** Excludes appends through a shared appender from one another, and from truncation, roll and close. */
        APPENDER,

        /** Excludes changes of the control state from one another: cursors, prune, truncation, close. */
        CONTROL,

        /** Excludes fsyncs from one another, from a truncation, and from closing the segments. */
        FORCE,

        /**
         * The last level, locks that are never held together. The window's lock excludes writing the window to its
         * segment while it moves or rolls. The supply's locks serialize making and recycling segments, and filling each
         * of them.
         */
        WINDOW
    }

    // Used by assertions only: the locks held by the thread, one entry for each time it has taken one.
    private static final ThreadLocal<List<OrderedLock>> HELD = ThreadLocal.withInitial(ArrayList::new);

    private static final long POLL_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final ReentrantLock lock = new ReentrantLock();
    private final Level level;
    private final Object journal;

    /**
     * @param journal identifies the journal: locks of different journals have no order.
     */
    public OrderedLock(final Level level, final Object journal)
    {
        this.level = level;
        this.journal = journal;
    }

    public void lock()
    {
        assert isInOrder() : "lock out of order: level=" + level + ", held=" + HELD.get();
        lock.lock();
        assert isNoted();
    }

    /** Runs while a lock is held. */
    public interface Action<T, E extends Exception>
    {
        T run() throws E;
    }

    public <T, E extends Exception> T locked(final Action<T, E> action) throws E
    {
        lock();
        try
        {
            return action.run();
        }
        finally
        {
            unlock();
        }
    }

    /** Allowed out of order, because a thread that does not wait cannot deadlock. */
    public boolean tryLock()
    {
        if (!lock.tryLock())
        {
            return false;
        }

        assert isNoted();
        return true;
    }

    /**
     * As {@link #tryLock()}, but waits at most this long if another thread has the lock, so that a deadlock ends. Not
     * interruptible.
     */
    public boolean tryLock(final long waitNs)
    {
        final long deadlineNs = System.nanoTime() + waitNs;
        boolean isTaken = tryLock();
        boolean wasInterrupted = false;
        while (!isTaken && System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(this, POLL_NS);
            wasInterrupted |= Thread.interrupted();
            isTaken = tryLock();
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }

        return isTaken;
    }

    public void unlock()
    {
        lock.unlock();
        assert HELD.get().remove(this);
    }

    public boolean isHeldByThread()
    {
        return lock.isHeldByCurrentThread();
    }

    /**
     * Used by assertions. Whether the calling thread may call a listener or an error handler, which may use the journal
     * and wait for threads that do. It may hold {@link Level#SNAPSHOTS}, if the application runs the background
     * agent while it writes a snapshot.
     */
    public static boolean isCallbackAllowed(final Object journal)
    {
        return HELD.get().stream().noneMatch((held) -> journal == held.journal && Level.SNAPSHOTS != held.level);
    }

    @Override
    public String toString()
    {
        return level.toString();
    }

    /** Notes the lock. If that runs out of memory, the lock is not taken, because nobody would release it. */
    private boolean isNoted()
    {
        try
        {
            return HELD.get().add(this);
        }
        catch (final OutOfMemoryError ex)
        {
            lock.unlock();
            throw ex;
        }
    }

    private boolean isInOrder()
    {
        final List<OrderedLock> held = HELD.get();
        boolean isInOrder = true;
        // Uses no iterator, because the tests that count allocated bytes run with assertions.
        for (int i = 0; i < held.size(); i++)
        {
            final OrderedLock other = held.get(i);
            if (this == other)
            {
                return true;
            }
            isInOrder &= journal != other.journal || other.level.compareTo(level) < 0;
        }

        return isInOrder;
    }
}
