package io.journal;

/**
 * The journal could not do what was asked of it, for a reason outside the program. Each subclass names one reason;
 * this class itself says that storage failed, or that something it takes was missing, such as a file descriptor.
 * {@link JournalCounters#isFailed()} of {@link Journal#counters()} tells the two apart: if true, close the journal and
 * open it again; if not, the same call may work later.
 * <p>
 * A caller's own mistake is an {@link IllegalArgumentException} or an {@link IllegalStateException} instead.
 */
public class JournalException extends RuntimeException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public JournalException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   what the level below said.
     */
    public JournalException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
