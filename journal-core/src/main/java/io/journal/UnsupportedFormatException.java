package io.journal;

/**
 * The journal was written in a format that this version does not know. Nothing was changed.
 */
public final class UnsupportedFormatException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public UnsupportedFormatException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   the underlying cause.
     */
    public UnsupportedFormatException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
