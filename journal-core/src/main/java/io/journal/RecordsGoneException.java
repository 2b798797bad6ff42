package io.journal;

/**
 * The records a reader stands at were pruned or cut. The reader stays where it is until a seek sends it elsewhere.
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
