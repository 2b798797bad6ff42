package io.journal.internal.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The open readers of a journal. Quiesces them (drains in-flight polls, blocks new ones) before a truncation changes
 * bytes in place, or before a read-only journal closes its files.
 * <p>
 * A handler may append, fsync and wait. So the caller of {@link #hold()} must not hold a lock that a handler may wait
 * for: {@link #hold()} comes first in the lock order, before the appender's exclusivity.
 */
public final class ReaderGate
{
    private static final long WAIT_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final List<ReaderUse> readers = new ArrayList<>();
    private final AtomicInteger holds = new AtomicInteger();
    private volatile Thread forbidden;

    public synchronized void register(final ReaderUse reader)
    {
        readers.add(reader);
    }

    public synchronized void unregister(final ReaderUse reader)
    {
        readers.remove(reader);
    }

    /**
     * Quiesces readers until {@link #release()}: new polls return nothing, new seeks block. Returns once in-flight
     * polls and seeks are drained. The calling thread must not read meanwhile.
     *
     * @throws IllegalStateException if the calling thread is inside a poll; readers are not blocked.
     */
    public void hold()
    {
        checkOutside();
        holds.incrementAndGet();
        while (isAnyInside())
        {
            LockSupport.parkNanos(this, WAIT_NS);
        }
    }

    /**
     * @throws IllegalStateException if the calling thread is inside a poll.
     */
    public void checkOutside()
    {
        if (isInside(Thread.currentThread()))
        {
            throw new IllegalStateException(
                "a handler must neither change the journal's history nor close what it reads");
        }
    }

    /**
     * Whether a reader is inside a poll or a seek. For a prune, which must not wait for readers, since a handler may be
     * waiting for it. A reader that enters later sees what was published before this call.
     */
    public synchronized boolean isAnyInside()
    {
        for (final ReaderUse reader : readers)
        {
            if (null != reader.user())
            {
                return true;
            }
        }

        return false;
    }

    public synchronized void release()
    {
        holds.decrementAndGet();
        notifyAll();
    }

    /**
     * Refuses calls of readers by the calling thread until {@link #allowAgain()}. For one thread at a time: it holds
     * what a handler of another thread may be waiting for.
     */
    public void forbidCallingThread()
    {
        forbidden = Thread.currentThread();
    }

    public void allowAgain()
    {
        forbidden = null;
    }

    /**
     * Whether a reader that has just called {@link ReaderUse#begin()} must back off. False if its thread is inside a
     * poll of another reader: {@link #hold()} waits for that poll anyway, and blocking its thread would deadlock.
     */
    public boolean isHeldOff(final ReaderUse reader)
    {
        if (Thread.currentThread() == forbidden)
        {
            throw new IllegalStateException("a snapshot's reader or writer must not read the journal");
        }

        return holds.get() > 0 && !isInsideAnother(reader);
    }

    public void awaitRelease()
    {
        boolean wasInterrupted = false;
        synchronized (this)
        {
            while (holds.get() > 0)
            {
                try
                {
                    wait();
                }
                catch (final InterruptedException ex)
                {
                    wasInterrupted = true;
                }
            }
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isInside(final Thread thread)
    {
        return isInside(thread, null);
    }

    private boolean isInsideAnother(final ReaderUse reader)
    {
        return isInside(Thread.currentThread(), reader);
    }

    private synchronized boolean isInside(final Thread thread, final ReaderUse except)
    {
        for (final ReaderUse reader : readers)
        {
            if (reader != except && thread == reader.user())
            {
                return true;
            }
        }

        return false;
    }
}
