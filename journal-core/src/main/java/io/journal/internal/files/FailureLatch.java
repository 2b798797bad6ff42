// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.files;

import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;

/**
 * Whether the journal is open, closed or failed. The latch is permanent: once storage has failed, the same instance
 * never trusts it again.
 */
public final class FailureLatch
{
    private final String journal;
    private volatile boolean isOpen = true;
    private volatile boolean isClosed;
    // The first failure.
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    private volatile Runnable onFailure = () ->
    {
    };

    /**
     * @param journal name of the journal, which identifies it within the process.
     */
    public FailureLatch(final String journal)
    {
        this.journal = journal;
    }

    public String journal()
    {
        return journal;
    }

    /** Sets the callback that runs once, when storage fails. */
    public void onFailure(final Runnable onFailure)
    {
        this.onFailure = onFailure;
    }

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
        return null != failure.get();
    }

    public void close()
    {
        isClosed = true;
        isOpen = false;
    }

    /**
     * @throws IllegalStateException if the journal is closed.
     * @throws JournalException       if storage failed before.
     */
    public void check()
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
    public void checkStorage()
    {
        final Throwable cause = failure.get();
        if (null != cause)
        {
            throw new JournalException(
                "storage failed before: nothing more is acknowledged, close and reopen to recover: journal=" + journal,
                cause);
        }
    }

    /**
     * Records that storage failed, unless it had failed before. Call before anything that allocates, even before a
     * literal is used for the first time: a failed fsync that went unrecorded for lack of memory would be repeated.
     *
     * @return this, for {@link #exception}.
     */
    public FailureLatch fail(final Throwable cause)
    {
        if (failure.compareAndSet(null, cause))
        {
            isOpen = false;
            onFailure.run();
        }

        return this;
    }

    /** Returns the exception to throw for a failure that is recorded. */
    public JournalException exception(final String what, final Throwable cause)
    {
        return cause instanceof JournalException ? (JournalException)cause : new JournalException(
            what + " failed: nothing more is acknowledged, close and reopen to recover: journal=" + journal +
                "; cause=" + cause,
            cause);
    }
}
