// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;

import io.journal.internal.files.FailureLatch;
import io.journal.internal.lock.OrderedLock;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.jspecify.annotations.Nullable;

/**
 * Background agent: work that need not delay the appending thread.
 */
public final class BackgroundAgent implements Agent
{
    private final FailureLatch latch;
    private final ErrorHandler errorHandler;
    private final Duty[] duties;
    private volatile @Nullable Thread thread;
    private volatile boolean isInCallback;

    /**
     * @param duties in order of urgency: an appender may be waiting for the next segment.
     */
    public BackgroundAgent(final FailureLatch latch, final ErrorHandler errorHandler, final Duty... duties)
    {
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
        thread = Thread.currentThread();
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
            // Callers see the failure as well: the appender retries preparing the segment, and a failed write or fsync
            // has failed the journal.
            assert OrderedLock.isCallbackAllowed(latch) : "lock is still held after " + ex;
            errorHandler.onError(ex);
            return 0;
        }
        finally
        {
            thread = null;
        }
    }

    /** Whether the calling thread is the one that does the agent's work now. */
    public boolean isCurrentThread()
    {
        return Thread.currentThread() == thread;
    }

    boolean isInCallback()
    {
        return isInCallback;
    }

    void isInCallback(final boolean isInCallback)
    {
        this.isInCallback = isInCallback;
    }

    @Override
    public String roleName()
    {
        return "journal-agent " + latch.journal();
    }
}
