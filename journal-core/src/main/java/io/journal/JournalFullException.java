package io.journal;

/**
 * There is no space for what was to be written. Everything before stays; the same call works again once there is space.
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
     * @param cause   what the level below said.
     */
    public JournalFullException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
