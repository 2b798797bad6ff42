// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.internal.observe.Log;

/**
 * Why retention keeps more than it should: a consumer that is far behind, or snapshots that are old. Retention waits,
 * and a warning is logged once it has waited a minute. Thread-safe, except for {@link #behind}, which is called under
 * the lock of {@link SegmentLifecycle}.
 */
final class RetentionObstacle
{
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(1);

    private final AtomicReference<String> unlogged = new AtomicReference<>();
    private boolean isBehind;
    private boolean isBehindKnown;
    private long sinceMs;

    /**
     * @param warning what holds retention back, and the remedy; null if nothing does.
     */
    void behind(final String warning, final long nowMs)
    {
        if (null == warning)
        {
            isBehind = false;
            isBehindKnown = false;
        }
        else if (!isBehind || nowMs < sinceMs)
        {
            // Also if the clock was set back: it may have been wrong when the wait began.
            isBehind = true;
            sinceMs = nowMs;
        }
        else if (!isBehindKnown && nowMs - sinceMs >= PATIENCE_MS)
        {
            isBehindKnown = true;
            unlogged.set(warning);
        }
    }

    void report()
    {
        final String warning = unlogged.getAndSet(null);
        if (null != warning)
        {
            Log.warn(warning, null);
        }
    }
}
