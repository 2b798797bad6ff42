package io.journal;

/**
 * The records at a reader's position were pruned or truncated. The reader stays there until a seek repositions it.
 */
public final class RecordsGoneException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what is gone, and what to do next.
     */
    public RecordsGoneException(final String message)
    {
        super(message);
    }
}
