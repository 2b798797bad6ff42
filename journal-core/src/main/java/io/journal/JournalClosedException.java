package io.journal;

/**
 * The journal is closed: what was asked was not done. Not a failure of storage.
 */
public final class JournalClosedException extends IllegalStateException
{
    private static final long serialVersionUID = 1L;

    /**
     * A refusal.
     *
     * @param message what was asked for.
     */
    public JournalClosedException(final String message)
    {
        super(message);
    }
}
