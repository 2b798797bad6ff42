package io.journal.internal.files;

import io.journal.JournalClosedException;
import io.journal.JournalException;

/**
 * Whether the journal is open, closed or failed. The latch is permanent: once storage has failed, the same instance
 * never trusts it again.
 */
public final class FailureLatch
{
    private volatile boolean isOpen = true;
    private volatile boolean isClosed;
    private volatile Throwable failure;
    // Whether a caller of the journal has received the failure as an exception, and not only its error handler.
    private volatile boolean isTold;
    private volatile Thread background;
    private volatile Runnable onFailure = () ->
    {
    };

    /**
     * Sets the callback that runs once, when storage fails.
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
     * Marks the calling thread as the background thread until {@link #endBackground()}: its exceptions reach no caller.
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
     * Whether a caller has received the failure as an exception, or the calling thread is the background thread.
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
     * @return the exception to throw.
     */
    public JournalException fail(final String what, final Throwable cause)
    {
        final boolean isFirst;
        synchronized (this)
        {
            isFirst = null == failure;
            if (isFirst)
            {
                // Set before the failure is published: afterwards it could overwrite what checkStorage sets.
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
