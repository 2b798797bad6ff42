package io.journal;

/**
 * Bytes of the journal are not what was written: damage, or a file that does not belong there. Nothing was changed.
 */
public final class CorruptJournalException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public CorruptJournalException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   what the level below said.
     */
    public CorruptJournalException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
