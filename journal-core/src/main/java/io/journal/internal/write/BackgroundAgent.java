package io.journal.internal.write;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.files.FailureLatch;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;

/**
 * Does beside the appending thread what need not delay it: prepares the next segment, writes what has waited in a
 * window, forces complete segments and what a periodic policy wants forced, drops old history, and tells who listens
 * what is forced.
 */
public final class BackgroundAgent implements Agent
{
    private final SegmentAllocator allocator;
    private final Forcer forcer;
    private final TailWriter tail;
    private final Positions positions;
    private final FailureLatch latch;
    private final ForcedListeners listeners;
    private final Retainer retainer;
    private final ErrorHandler errorHandler;
    private long seenPosition;

    public BackgroundAgent(
        final SegmentAllocator allocator,
        final Forcer forcer,
        final TailWriter tail,
        final Positions positions,
        final FailureLatch latch,
        final ForcedListeners listeners,
        final Retainer retainer,
        final ErrorHandler errorHandler)
    {
        this.allocator = allocator;
        this.forcer = forcer;
        this.tail = tail;
        this.positions = positions;
        this.latch = latch;
        this.listeners = listeners;
        this.retainer = retainer;
        this.errorHandler = errorHandler;
    }

    /**
     * Drops history that need not be kept.
     */
    public interface Retainer
    {
        boolean retain() throws IOException;
    }

    @Override
    public int doWork()
    {
        if (!latch.isOpen())
        {
            return 0;
        }

        forcer.companionThread(Thread.currentThread());
        latch.beginBackground();
        try
        {
            // In the order of urgency: an appender may be waiting for the segment.
            return (allocator.prepare() ? 1 : 0) + (write() ? 1 : 0) + (forcer.forcePeriodically() ? 1 : 0) +
                (tellForced() ? 1 : 0) + (forcer.forceComplete() ? 1 : 0) + (retainer.retain() ? 1 : 0);
        }
        catch (final Throwable ex)
        {
            // Whoever appends or forces meets it as well: a segment that cannot be prepared is tried again there, and
            // after a write or force that failed the journal is failed.
            errorHandler.onError(ex);
            return 0;
        }
        finally
        {
            latch.endBackground();
        }
    }

    @Override
    public String roleName()
    {
        return "journal-companion";
    }

    /**
     * Tells who listens what is forced.
     */
    public boolean tellForced()
    {
        return listeners.tell(positions::forcedSequence, errorHandler);
    }

    /**
     * Writes what was appended already when it looked the last time.
     */
    private boolean write() throws IOException
    {
        final long waiting = seenPosition;
        seenPosition = positions.appendedPosition();
        if (waiting <= positions.writtenPosition())
        {
            return false;
        }

        try
        {
            tail.writeUpTo(waiting);
            return true;
        }
        catch (final IOException | RuntimeException ex)
        {
            throw latch.fail("write", ex);
        }
    }

    /**
     * A thread that runs the background agent until it is stopped, and sleeps while there is nothing to do.
     */
    public static final class Runner implements Runnable
    {
        // That of the class Journal, which users know.
        private static final String LOGGER = "io.journal.Journal";

        private final BackgroundAgent agent;
        private final long idleNs;
        private final Thread thread = new Thread(this);
        private volatile boolean isStopped;

        public Runner(final BackgroundAgent agent, final long idleNs)
        {
            this.agent = agent;
            this.idleNs = idleNs;
            thread.setName(agent.roleName());
            thread.setDaemon(true);
        }

        public void start()
        {
            thread.start();
        }

        public boolean isCurrentThread()
        {
            return Thread.currentThread() == thread;
        }

        /**
         * Ends the sleep: there is something to do.
         */
        public void wake()
        {
            LockSupport.unpark(thread);
        }

        /**
         * Stops the thread and waits until it has ended, whether or not the caller is interrupted.
         */
        public void stop()
        {
            isStopped = true;
            wake();
            if (isCurrentThread())
            {
                // Its error handler closes the journal.
                return;
            }

            boolean wasInterrupted = false;
            while (thread.isAlive())
            {
                try
                {
                    thread.join();
                }
                catch (final InterruptedException ignore)
                {
                    wasInterrupted = true;
                }
            }
            if (wasInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }

        private static void log(final Throwable error)
        {
            try
            {
                System.getLogger(LOGGER)
                    .log(System.Logger.Level.WARNING, "error handler failed", error);
            }
            catch (final Throwable ignore)
            {
                // Nobody is left to be told, and others rely on this thread.
            }
        }

        @Override
        public void run()
        {
            while (!isStopped)
            {
                try
                {
                    if (0 == agent.doWork())
                    {
                        LockSupport.parkNanos(this, idleNs);
                    }
                }
                catch (final Throwable ex)
                {
                    // The user's error handler failed: that must not end what others rely on.
                    log(ex);
                }
                // Set by a listener or handler, it would keep this thread from sleeping and close what it reads with.
                Thread.interrupted();
            }
        }
    }
}
