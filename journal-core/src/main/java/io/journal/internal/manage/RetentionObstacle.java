// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.internal.control.ControlState.Saved;
import io.journal.internal.observe.Log;

/**
 * Why retention keeps more than it should: a consumer that is far behind, or snapshots that are old. Retention waits,
 * and a warning is logged once it has waited a minute. Thread-safe, except for {@link #heldBack}, which is called under
 * the lock of {@link SegmentLifecycle}.
 */
final class RetentionObstacle
{
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(1);

    private final String journal;
    private final AtomicReference<String> unlogged = new AtomicReference<>();
    // Since when it waits; later than any time if it does not.
    private long sinceMs = Long.MAX_VALUE;
    private boolean isKnown;

    RetentionObstacle(final String journal)
    {
        this.journal = journal;
    }

    /**
     * Notes how much retention keeps only because a consumer has not passed it, or because the snapshots need it.
     *
     * @param bytes   0 if nothing.
     * @param cursors by which it is held back; null if by snapshots.
     */
    void heldBack(final long bytes, final Map<String, Saved> cursors, final long nowMs)
    {
        if (0 == bytes)
        {
            sinceMs = Long.MAX_VALUE;
            isKnown = false;
        }
        else if (nowMs < sinceMs)
        {
            // Also if the clock was set back: it may have been wrong when the wait began.
            sinceMs = nowMs;
        }
        else if (!isKnown && nowMs - sinceMs >= PATIENCE_MS)
        {
            isKnown = true;
            unlogged.set(null == cursors ? snapshotsWarning(bytes) : cursorWarning(bytes, cursors));
        }
    }

    private String snapshotsWarning(final long bytes)
    {
        return "snapshots hold back retention: journal=" + journal + ", bytes=" + bytes +
            "; save a newer one; if the " +
            "application saves none any more, close the journal and move the directory snapshots away";
    }

    private String cursorWarning(final long bytes, final Map<String, Saved> cursors)
    {
        final Map.Entry<String, Saved> last = cursors.entrySet().stream()
            .min(Comparator.comparingLong((cursor) -> cursor.getValue().sequence())).orElseThrow();
        return "a consumer holds back retention: journal=" + journal + ", cursor=" + last.getKey() + ", sequence=" +
            last.getValue().sequence() + ", bytes=" + bytes + "; if it is gone for good, delete its cursor";
    }

    /** Logs the warning, if there is one. Under no lock: the application's logger may use the journal. */
    void report()
    {
        final String warning = unlogged.getAndSet(null);
        if (null != warning)
        {
            Log.warn(warning, null);
        }
    }
}
