package io.journal;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;

/**
 * Does beside the appending thread what need not delay it: prepares the next segment, forces complete ones, writes what
 * has waited in a window.
 */
final class Companion implements Agent
{
    private final SegmentSupply supply;
    private final Forcer forcer;
    private final TailWriter tail;
    private final Positions positions;
    private final Health health;
    private final ErrorHandler errorHandler;
    private long seenPosition;

    Companion(
        final SegmentSupply supply,
        final Forcer forcer,
        final TailWriter tail,
        final Positions positions,
        final Health health,
        final ErrorHandler errorHandler)
    {
        this.supply = supply;
        this.forcer = forcer;
        this.tail = tail;
        this.positions = positions;
        this.health = health;
        this.errorHandler = errorHandler;
    }

    @Override
    public int doWork()
    {
        int workCount = 0;
        if (health.isOpen())
        {
            workCount += prepare();
            workCount += force();
            workCount += write();
        }

        return workCount;
    }

    @Override
    public String roleName()
    {
        return "journal-companion";
    }

    private int prepare()
    {
        try
        {
            return supply.prepare() ? 1 : 0;
        }
        catch (final Exception ex)
        {
            // The appender tries again when it needs the segment, and tells its caller.
            errorHandler.onError(ex);
            return 0;
        }
    }

    private int force()
    {
        try
        {
            return forcer.forceComplete() ? 1 : 0;
        }
        catch (final JournalException ex)
        {
            errorHandler.onError(ex);
            return 0;
        }
    }

    /**
     * Writes what was appended already when it looked the last time.
     */
    private int write()
    {
        final long waiting = seenPosition;
        seenPosition = positions.appendedPosition();
        if (waiting <= positions.writtenPosition())
        {
            return 0;
        }

        try
        {
            tail.writeUpTo(waiting);
            return 1;
        }
        catch (final IOException ex)
        {
            errorHandler.onError(health.fail("write", ex));
            return 0;
        }
    }

    /**
     * A thread that runs the companion until it is stopped, and sleeps while there is nothing to do.
     */
    static final class Runner implements Runnable
    {
        private final Companion companion;
        private final long idleNs;
        private final Thread thread = new Thread(this);
        private volatile boolean isStopped;

        Runner(final Companion companion, final long idleNs)
        {
            this.companion = companion;
            this.idleNs = idleNs;
            thread.setName(companion.roleName());
            thread.setDaemon(true);
        }

        void start()
        {
            thread.start();
        }

        /**
         * Ends the sleep: there is something to do.
         */
        void wake()
        {
            LockSupport.unpark(thread);
        }

        /**
         * Stops the thread and waits until it has ended, whether or not the caller is interrupted.
         */
        void stop()
        {
            isStopped = true;
            wake();
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

        @Override
        public void run()
        {
            while (!isStopped)
            {
                if (0 == companion.doWork())
                {
                    LockSupport.parkNanos(this, idleNs);
                }
            }
        }
    }
}
