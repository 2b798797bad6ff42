// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.util.Comparator;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.internal.control.ControlState.Saved;
import io.journal.internal.observe.Log;

/**
 * Records why retention keeps more than it should: a consumer is far behind, or snapshots are old. Logs a warning once
 * retention has waited for a minute. Thread-safe, except for {@link #heldBack}, which is called under the lock of
 * {@link SegmentLifecycle}.
 */
final class RetentionObstacle
{
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(1);

    private final String journal;
    private final AtomicReference<String> unlogged = new AtomicReference<>();
    // Time since when retention waits; later than any time if it does not wait.
    private long sinceMs = Long.MAX_VALUE;
    private boolean isKnown;

    RetentionObstacle(final String journal)
    {
        this.journal = journal;
    }

    /**
     * Notes how many bytes retention keeps only for a consumer that has not passed them, or for the snapshots.
     *
     * @param bytes   0 if nothing.
     * @param cursors that hold retention back; null if snapshots do.
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
            // Reset also if the clock was set back: it may have been wrong when the wait began.
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

    /**
     * Logs the warning, if there is one. Called without a lock, because the application's logger may use the journal.
     */
    void report()
    {
        final String warning = unlogged.getAndSet(null);
        if (null != warning)
        {
            Log.warn(warning, null);
        }
    }
}
