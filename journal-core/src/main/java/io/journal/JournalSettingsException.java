package io.journal;

/**
 * A settings file cannot be used: it is absent, or something in it is wrong. No setting was changed.
 */
public final class JournalSettingsException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message the file, what is wrong there, and what is allowed.
     */
    public JournalSettingsException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message the file, what is wrong there, and what is allowed.
     * @param cause   the underlying cause.
     */
    public JournalSettingsException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
