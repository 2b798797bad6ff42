package io.journal.internal.read;

import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;

/**
 * The open readers of a journal. Quiesces them (drains in-flight polls, blocks new ones) before a truncation changes
 * bytes in place. A read-only journal closes its files once it is drained.
 * <p>
 * A handler may append, fsync and wait. So the caller of {@link #hold()} must not hold a lock that a handler may wait
 * for: {@link LockLevel#READERS} comes before all that a handler may take.
 */
public final class ReaderGate
{
    private static final long WAIT_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final List<Passage> readers = new CopyOnWriteArrayList<>();
    // Held by the thread that quiesces readers.
    private final OrderedLock lock;
    private final AtomicReference<Runnable> onDrained = new AtomicReference<>();
    private volatile boolean isHeld;
    private volatile Thread forbidden;

    /**
     * @param journal identifies the journal in the lock order.
     */
    public ReaderGate(final Object journal)
    {
        lock = new OrderedLock(LockLevel.READERS, journal);
    }

    /**
     * One reader's way through the gate: shows which thread is inside a call of the reader.
     */
    public static final class Passage
    {
        private final ReaderGate gate;
        private final AtomicReference<Thread> user = new AtomicReference<>();
        private boolean isClosed;

        private Passage(final ReaderGate gate)
        {
            this.gate = gate;
        }

        /**
         * Enters a call: until {@link #leave()}, truncation and prune cannot change what the reader uses.
         *
         * @return false if readers are quiesced, for example by a truncation in progress.
         */
        public boolean tryEnter()
        {
            if (isClosed)
            {
                throw new IllegalStateException("reader is closed");
            }
            final Thread inside = user.get();
            if (null != inside)
            {
                throw inUse(inside, "use");
            }

            // Stored before isHeld is read, and hold() does the reverse: one of the two threads sees the other.
            user.set(Thread.currentThread());
            boolean isInside = false;
            try
            {
                isInside = !gate.isHeldOff(this);
            }
            finally
            {
                // Also if the check threw, for example an OutOfMemoryError: otherwise other threads would wait for
                // this reader forever.
                if (!isInside)
                {
                    leave();
                }
            }

            return isInside;
        }

        /**
         * Enters a call, and waits for that while readers are quiesced.
         */
        public void enter()
        {
            while (!tryEnter())
            {
                gate.awaitRelease();
            }
        }

        /**
         * Leaves the call. A release store suffices: only the beginning of a call needs a full fence.
         */
        public void leave()
        {
            user.setRelease(null);
            if (null != gate.onDrained.get())
            {
                // Of two readers that leave, at least one sees that the other one has left.
                VarHandle.fullFence();
                gate.runIfDrained();
            }
        }

        /**
         * Ends the reader's use of the gate. Idempotent.
         */
        public void close()
        {
            final Thread inside = user.get();
            if (null != inside)
            {
                throw inUse(inside, "close");
            }

            isClosed = true;
            gate.unregister(this);
        }

        public boolean isClosed()
        {
            return isClosed;
        }

        private static IllegalStateException inUse(final Thread inside, final String what)
        {
            return new IllegalStateException(
                Thread.currentThread() == inside ? "reader is in use: its handler must not " + what + " it" :
                    "reader is in use by another thread: thread=" + inside.getName());
        }
    }

    /**
     * Registers a reader, until its passage is closed.
     */
    public Passage newPassage()
    {
        final Passage passage = new Passage(this);
        register(passage);
        return passage;
    }

    public void register(final Passage reader)
    {
        readers.add(reader);
    }

    public void unregister(final Passage reader)
    {
        readers.remove(reader);
    }

    /**
     * Quiesces readers until {@link #release()}: new polls return nothing, new seeks block. Returns once in-flight
     * polls and seeks are drained. The calling thread must not read meanwhile.
     *
     * @throws IllegalStateException if the calling thread is inside a poll, or writes or reads a snapshot; readers are
     *                               not blocked.
     */
    public void hold()
    {
        checkOutside();
        lock.lock();
        try
        {
            isHeld = true;
            awaitDrained();
        }
        catch (final Throwable ex)
        {
            // For example an OutOfMemoryError: otherwise readers would be blocked forever.
            release();
            throw ex;
        }
    }

    private void awaitDrained()
    {
        boolean wasInterrupted = false;
        while (isAnyInside())
        {
            LockSupport.parkNanos(this, WAIT_NS);
            // It would not park.
            wasInterrupted |= Thread.interrupted();
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void checkOutside()
    {
        if (isInside(null))
        {
            throw new IllegalStateException(
                "a handler must not change the journal's history");
        }
        // A handler of another thread may be waiting for the snapshots: it would be waited for here.
        if (Thread.currentThread() == forbidden)
        {
            throw new IllegalStateException("a snapshot's reader or writer must not truncate the journal");
        }
    }

    /**
     * Whether a reader is inside a poll or a seek. For a prune, which must not wait for readers, since a handler may be
     * waiting for it. A reader that enters later sees what was published before this call.
     */
    public boolean isAnyInside()
    {
        for (final Passage reader : readers)
        {
            if (null != reader.user.get())
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Runs an action once no reader is inside a call: now, or by the last one that leaves. Does not wait, since a
     * handler may be waiting for the calling thread. Readers that enter from now on must not need what the action takes
     * away.
     */
    public void onceDrained(final Runnable action)
    {
        onDrained.set(action);
        for (final Passage reader : readers)
        {
            final Thread user = reader.user.get();
            if (null != user)
            {
                // Leaving has no fence. This brings the thread to a safepoint: it has left before, or sees the action.
                user.getStackTrace();
            }
        }
        runIfDrained();
    }

    private void runIfDrained()
    {
        if (!isAnyInside())
        {
            final Runnable action = onDrained.getAndSet(null);
            if (null != action)
            {
                action.run();
            }
        }
    }

    public void release()
    {
        isHeld = false;
        lock.unlock();
    }

    /**
     * Refuses calls of readers, and of {@link #hold()}, by the calling thread until {@link #allowAgain()}. For one
     * thread at a time: it holds what a handler of another thread may be waiting for.
     */
    public void forbidCallingThread()
    {
        forbidden = Thread.currentThread();
    }

    public void allowAgain()
    {
        forbidden = null;
    }

    private void awaitRelease()
    {
        lock.lock();
        lock.unlock();
    }

    /**
     * Whether a reader that has just entered must back off. Not if its thread is inside a poll of another reader:
     * {@link #hold()} waits for that poll anyway, and blocking its thread would deadlock.
     */
    private boolean isHeldOff(final Passage reader)
    {
        if (Thread.currentThread() == forbidden)
        {
            throw new IllegalStateException("a snapshot's reader or writer must not read the journal");
        }

        return isHeld && !isInside(reader);
    }

    /**
     * Whether the calling thread is inside a poll of a reader other than the given one.
     */
    private boolean isInside(final Passage except)
    {
        for (final Passage reader : readers)
        {
            if (reader != except && Thread.currentThread() == reader.user.get())
            {
                return true;
            }
        }

        return false;
    }
}
