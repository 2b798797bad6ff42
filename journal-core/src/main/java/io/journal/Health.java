package io.journal;

/**
 * Whether the journal may still be used. Storage that failed once is not trusted again by the same instance.
 */
final class Health
{
    private volatile Throwable failure;
    private volatile boolean isClosed;

    boolean isOpen()
    {
        return !isClosed && null == failure;
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
    }

    /**
     * @throws IllegalStateException if the journal is closed.
     * @throws JournalException      if storage failed before.
     */
    void check()
    {
        checkStorage();
        if (isClosed)
        {
            throw new IllegalStateException("journal is closed");
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
        synchronized (this)
        {
            if (null == failure)
            {
                failure = cause;
            }
        }

        return new JournalException(
            what + " failed: nothing more is acknowledged, close and reopen to recover; cause=" + cause, cause);
    }
}
