package io.journal;

/**
 * The journal is closed, and the operation was not completed. Not a failure of storage.
 */
public final class JournalClosedException extends IllegalStateException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what was refused.
     */
    public JournalClosedException(final String message)
    {
        super(message);
    }
}
