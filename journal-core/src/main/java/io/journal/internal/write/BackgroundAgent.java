// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.files.FailureLatch;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.observe.Log;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;

/**
 * Background agent: work that need not delay the appending thread.
 */
public final class BackgroundAgent implements Agent
{
    private final Forcer forcer;
    private final FailureLatch latch;
    private final ErrorHandler errorHandler;
    private final Duty[] duties;

    /**
     * @param duties in order of urgency: an appender may be waiting for the next segment.
     */
    public BackgroundAgent(
        final Forcer forcer, final FailureLatch latch, final ErrorHandler errorHandler, final Duty... duties)
    {
        this.forcer = forcer;
        this.latch = latch;
        this.errorHandler = errorHandler;
        this.duties = duties;
    }

    /** Work of the agent. Returns whether there was any. */
    public interface Duty
    {
        boolean perform() throws IOException;
    }

    @Override
    public int doWork()
    {
        if (!latch.isOpen())
        {
            return 0;
        }

        // Listeners and error handlers are called with no lock held.
        assert OrderedLock.isCallbackAllowed(latch);
        forcer.agentThread(Thread.currentThread());
        latch.beginBackground();
        try
        {
            int count = 0;
            for (final Duty duty : duties)
            {
                // A listener may have closed the journal.
                if (latch.isOpen() && duty.perform())
                {
                    count++;
                }
            }
            return count;
        }
        catch (final Throwable ex)
        {
            // Callers meet the failure as well: the appender retries preparing the segment, and a failed write or
            // fsync has failed the journal.
            assert OrderedLock.isCallbackAllowed(latch) : "lock is still held after " + ex;
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
        return "journal-agent " + latch.journal();
    }

    /** A thread that runs the background agent until stopped, and parks while there is no work. */
    public static final class Runner implements Runnable
    {
        // The thread may begin a callback while it is waited for.
        private static final long POLL_MS = 10;

        private final BackgroundAgent agent;
        private final Callbacks callbacks;
        private final long idleNs;
        private final Thread thread = new Thread(this);
        private volatile boolean isStopped;

        public Runner(final BackgroundAgent agent, final Callbacks callbacks, final long idleNs)
        {
            this.agent = agent;
            this.callbacks = callbacks;
            this.idleNs = idleNs;
            thread.setName(agent.roleName());
            thread.setDaemon(true);
        }

        public void start()
        {
            thread.start();
        }

        @Override
        public void run()
        {
            boolean wasBusy = true;
            while (!isStopped)
            {
                try
                {
                    final boolean isBusy = agent.doWork() > 0;
                    if (!isBusy)
                    {
                        agent.forcer.wakeup.park(idleNs, wasBusy);
                    }
                    wasBusy = isBusy;
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

        public boolean isCurrentThread()
        {
            return Thread.currentThread() == thread;
        }

        /** Unparks the thread: there is work. */
        public void wake()
        {
            LockSupport.unpark(thread);
        }

        /**
         * Stops the thread and waits until it has ended, or is inside a callback: that may be waiting for the calling
         * thread, and finds the journal closed when it returns. Not interruptible; the interrupt status is preserved.
         */
        public void stop()
        {
            isStopped = true;
            wake();
            boolean wasInterrupted = false;
            while (thread.isAlive() && !isCurrentThread() && !callbacks.isAgentInside())
            {
                try
                {
                    thread.join(POLL_MS);
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

        private void log(final Throwable error)
        {
            try
            {
                Log.warn("error handler failed: journal=" + agent.latch.journal(), error);
            }
            catch (final Throwable ignore)
            {
                // There is nowhere left to report, and the journal relies on this thread.
            }
        }
    }
}
