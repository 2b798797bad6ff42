package io.journal.internal.read;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/**
 * The open readers of a journal. Who is about to change bytes that readers may be looking at holds them off meanwhile.
 * <p>
 * A handler may append, force and wait: so nothing that it could wait for may be held while readers are waited for. In
 * the order of locks, holding readers comes before the appender's exclusivity.
 */
public final class ReaderGate
{
    private static final long WAIT_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final List<ReaderUse> readers = new ArrayList<>();
    private final AtomicInteger holds = new AtomicInteger();

    public synchronized void register(final ReaderUse reader)
    {
        readers.add(reader);
    }

    public synchronized void unregister(final ReaderUse reader)
    {
        readers.remove(reader);
    }

    /**
     * Holds readers off until {@link #release()}: polls that begin find nothing, seeks wait. Returns once no reader is
     * inside one of them. The calling thread must not read meanwhile.
     *
     * @throws IllegalStateException if the calling thread is inside a poll; nobody is held off.
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
     * Whether a reader is inside a poll or a seek. For those whom a handler may be waiting for, who must not wait for
     * readers: one that comes in later sees what was published before this was asked.
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
     * Whether a reader that has just said that it is in use must give way. Not if its thread is inside a poll of
     * another reader: that one is waited for anyhow, and could otherwise wait here for ever.
     */
    public boolean isHeldOff(final ReaderUse reader)
    {
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
