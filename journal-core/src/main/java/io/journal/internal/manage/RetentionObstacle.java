package io.journal.internal.manage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;
import io.journal.internal.observe.Log;
import org.agrona.ErrorHandler;

/**
 * Why retention keeps more than it should. A cursor that cannot be used is an error, reported once. A consumer that is
 * far behind, or snapshots that are old, are none: retention waits, and a warning is logged once it has waited a
 * minute. Thread-safe, except for {@link #behind}, which is called under the lock of {@link SegmentLifecycle}.
 */
final class RetentionObstacle
{
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(1);

    private final AtomicReference<JournalException> unreported = new AtomicReference<>();
    private final AtomicReference<String> unlogged = new AtomicReference<>();
    private final AtomicReference<String> knownUnusable = new AtomicReference<>();
    private boolean isBehind;
    private boolean isBehindKnown;
    private long sinceMs;

    void unusable(final JournalException fault)
    {
        // A file that could not be read may turn out to be corrupt, and of two cursors one may be deleted.
        final String message = fault.getMessage();
        if (!message.equals(knownUnusable.getAndSet(message)))
        {
            unreported.set(fault);
        }
    }

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

    /** Call without holding a lock. */
    void report(final ErrorHandler errorHandler)
    {
        final String warning = unlogged.getAndSet(null);
        if (null != warning)
        {
            Log.warn(warning, null);
        }
        final JournalException error = unreported.getAndSet(null);
        if (null != error)
        {
            errorHandler.onError(error);
        }
    }
}
