package io.journal;

/**
 * Whether the journal may still be used. Storage that failed once is not trusted again by the same instance.
 */
final class Health
{
    private volatile boolean isOpen = true;
    private volatile boolean isClosed;
    private volatile Throwable failure;
    private volatile Runnable onFailure = () ->
    {
    };

    /**
     * Who is to be told, once, when storage has failed.
     */
    void onFailure(final Runnable onFailure)
    {
        this.onFailure = onFailure;
    }

    /**
     * Whether the journal is neither closed nor failed.
     */
    boolean isOpen()
    {
        return isOpen;
    }

    boolean isClosed()
    {
        return isClosed;
    }

    boolean isFailed()
    {
        return null != failure;
    }

    void close()
    {
        isClosed = true;
        isOpen = false;
    }

    /**
     * @throws JournalClosedException if the journal is closed.
     * @throws JournalException       if storage failed before.
     */
    void check()
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
    void checkStorage()
    {
        final Throwable failure = this.failure;
        if (null != failure)
        {
            throw new JournalException(
                "storage failed before: nothing more is acknowledged, close and reopen to recover", failure);
        }
    }

    /**
     * Records that storage failed.
     *
     * @return the exception to be thrown.
     */
    JournalException fail(final String what, final Throwable cause)
    {
        final boolean isFirst;
        synchronized (this)
        {
            isFirst = null == failure;
            if (isFirst)
            {
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
