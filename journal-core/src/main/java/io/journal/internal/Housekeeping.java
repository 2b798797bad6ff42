// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import java.io.IOException;
import java.util.concurrent.TimeUnit;

import io.journal.JournalException;

/**
 * The background agent's work for the journal as a whole: checks the fence, applies retention. Called by the agent's
 * thread.
 */
final class Housekeeping
{
    private static final long CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final Engine engine;
    private long nextCheckNs = System.nanoTime();
    private boolean isFenceUnknown;

    Housekeeping(final Engine engine)
    {
        this.engine = engine;
    }

    boolean retain() throws IOException
    {
        final long nowNs = System.nanoTime();
        if (nowNs - nextCheckNs >= 0)
        {
            nextCheckNs = nowNs + CHECK_INTERVAL_NS;
            checkFence();
        }
        final boolean isDropped = engine.history.retain();
        engine.history.reportObstacle();
        return isDropped;
    }

    /** Reports a check that fails with an I/O error once, and retries it in the next round. */
    private void checkFence()
    {
        try
        {
            engine.fence.check();
            isFenceUnknown = false;
        }
        catch (final IOException ex)
        {
            // If a thread of the application runs this while the journal is closed, the file is gone: no error.
            if (!isFenceUnknown && engine.latch.isOpen())
            {
                isFenceUnknown = true;
                engine.errorHandler.onError(
                    new JournalException("cannot check the writer's lock: path=" + engine.path + "; cause=" + ex, ex));
            }
        }
    }
}
