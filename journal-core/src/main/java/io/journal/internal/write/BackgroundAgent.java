package io.journal.internal.write;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.files.FailureLatch;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;

/**
 * Background agent: work that need not delay the appending thread. It prepares the next segment, writes records that
 * wait in a window, makes the fsyncs of a periodic policy, notifies durability listeners, fsyncs complete segments and
 * applies retention.
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
     * Drops segments that retention does not keep.
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

        forcer.backgroundThread(Thread.currentThread());
        latch.beginBackground();
        try
        {
            // In order of urgency: an appender may be waiting for the segment.
            return (allocator.prepare() ? 1 : 0) + (write() ? 1 : 0) + (forcer.forcePeriodically() ? 1 : 0) +
                (tellForced() ? 1 : 0) + (forcer.forceComplete() ? 1 : 0) + (retainer.retain() ? 1 : 0);
        }
        catch (final Throwable ex)
        {
            // Callers meet the failure as well: the appender retries preparing the segment, and a failed write or
            // fsync has failed the journal.
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
        return "journal-agent";
    }

    /**
     * Notifies listeners of the durable watermark.
     */
    public boolean tellForced()
    {
        return listeners.tell(positions::forcedSequence, errorHandler);
    }

    /**
     * Writes what was already appended in the previous round.
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
     * A thread that runs the background agent until stopped, and parks while there is no work.
     */
    public static final class Runner implements Runnable
    {
        // The logger of the class Journal, a name that users know.
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
         * Unparks the thread: there is work.
         */
        public void wake()
        {
            LockSupport.unpark(thread);
        }

        /**
         * Stops the thread and waits until it has ended; returns at once on the thread itself. Not interruptible; the
         * interrupt status is preserved.
         */
        public void stop()
        {
            isStopped = true;
            wake();
            if (isCurrentThread())
            {
                // A listener or error handler that runs on this thread closes the journal.
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
                // There is nowhere left to report, and the journal relies on this thread.
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
                    // The user's error handler threw: that must not end a thread the journal relies on.
                    log(ex);
                }
                // An interrupt set by a listener or handler would prevent parking and close this thread's channels.
                Thread.interrupted();
            }
        }
    }
}
