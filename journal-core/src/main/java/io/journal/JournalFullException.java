package io.journal;

/**
 * The disk is full. Existing data is unchanged; the same call succeeds once there is space.
 */
public final class JournalFullException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public JournalFullException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   the underlying cause.
     */
    public JournalFullException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
