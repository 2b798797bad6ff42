package io.journal.internal.manage;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.observe.Log;
import org.agrona.ErrorHandler;

/**
 * Why retention keeps more than it should. A cursor that cannot be used is an error, reported once. A consumer that is
 * far behind is none: retention waits for it, and a warning is logged once it has waited a minute. Thread-safe, except
 * for {@link #behind}, which is called under the lock of {@link SegmentLifecycle}.
 */
final class RetentionObstacle
{
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(1);

    private final AtomicReference<JournalException> unreported = new AtomicReference<>();
    private final AtomicReference<String> unlogged = new AtomicReference<>();
    private final AtomicBoolean isUnusableKnown = new AtomicBoolean();
    private final String journal;
    private boolean isBehind;
    private boolean isBehindKnown;
    private long sinceMs;

    RetentionObstacle(final String journal)
    {
        this.journal = journal;
    }

    void unusable(final JournalException fault)
    {
        if (isUnusableKnown.compareAndSet(false, true))
        {
            unreported.set(fault);
        }
    }

    /**
     * @param cursor of the consumer that is furthest behind.
     * @param bytes  that retention would drop if the consumer had read them; 0 if it holds nothing back.
     */
    void behind(final CursorFile cursor, final long bytes, final long nowMs)
    {
        if (0 == bytes)
        {
            isBehind = false;
            isBehindKnown = false;
        }
        else if (!isBehind)
        {
            isBehind = true;
            sinceMs = nowMs;
        }
        else if (!isBehindKnown && nowMs - sinceMs >= PATIENCE_MS)
        {
            isBehindKnown = true;
            unlogged.set(
                "a consumer holds back retention: journal=" + journal + ", cursor=" + cursor.name() +
                    ", sequence=" + cursor.sequence() + ", bytes=" + bytes +
                    "; if it is gone for good, delete its cursor");
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
