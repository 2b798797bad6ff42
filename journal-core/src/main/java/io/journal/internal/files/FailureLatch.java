package io.journal.internal.files;

import io.journal.JournalClosedException;
import io.journal.JournalException;

/**
 * Whether the journal may still be used. Storage that failed once is not trusted again by the same instance.
 */
public final class FailureLatch
{
    private volatile boolean isOpen = true;
    private volatile boolean isClosed;
    private volatile Throwable failure;
    // Of the failure: whether somebody who called the journal was told, and not only its error handler.
    private volatile boolean isTold;
    private volatile Thread background;
    private volatile Runnable onFailure = () ->
    {
    };

    /**
     * Who is to be told, once, when storage has failed.
     */
    public void onFailure(final Runnable onFailure)
    {
        this.onFailure = onFailure;
    }

    /**
     * Whether the journal is neither closed nor failed.
     */
    public boolean isOpen()
    {
        return isOpen;
    }

    public boolean isClosed()
    {
        return isClosed;
    }

    public boolean isFailed()
    {
        return null != failure;
    }

    /**
     * The calling thread works for the journal, until {@link #endBackground()}: what it throws reaches no caller.
     */
    public void beginBackground()
    {
        background = Thread.currentThread();
    }

    public void endBackground()
    {
        background = null;
    }

    /**
     * Whether a caller was told that storage failed, or is the one that works for the journal.
     */
    public boolean isTold()
    {
        return isTold || isBackground();
    }

    private boolean isBackground()
    {
        return Thread.currentThread() == background;
    }

    public void close()
    {
        isClosed = true;
        isOpen = false;
    }

    /**
     * @throws JournalClosedException if the journal is closed.
     * @throws JournalException       if storage failed before.
     */
    public void check()
    {
        checkStorage();
        if (isClosed)
        {
            throw new JournalClosedException("journal is closed");
        }
    }

    /**
     * @throws JournalException if storage failed before.
     */
    public void checkStorage()
    {
        final Throwable failure = this.failure;
        if (null != failure)
        {
            isTold |= !isBackground();
            throw new JournalException(
                "storage failed before: nothing more is acknowledged, close and reopen to recover", failure);
        }
    }

    /**
     * Records that storage failed.
     *
     * @return the exception to be thrown.
     */
    public JournalException fail(final String what, final Throwable cause)
    {
        final boolean isFirst;
        synchronized (this)
        {
            isFirst = null == failure;
            if (isFirst)
            {
                // Before others can meet it, and tell.
                isTold = !isBackground();
                failure = cause;
                isOpen = false;
            }
        }
        if (isFirst)
        {
            onFailure.run();
        }

        return cause instanceof JournalException ? (JournalException)cause : new JournalException(
            what + " failed: nothing more is acknowledged, close and reopen to recover; cause=" + cause, cause);
    }
}
