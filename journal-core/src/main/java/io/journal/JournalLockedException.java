package io.journal;

/**
 * Another writer has the journal open. Nothing was changed.
 */
public final class JournalLockedException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public JournalLockedException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   the underlying cause.
     */
    public JournalLockedException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
