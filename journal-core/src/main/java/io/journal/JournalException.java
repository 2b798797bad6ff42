package io.journal;

/**
 * An operation failed for a reason outside the program. Each subclass names one reason; this class itself means that
 * storage failed, or that a resource was missing, such as a file descriptor. {@link JournalCounters#isFailed()} of
 * {@link Journal#counters()} distinguishes the two: if true, close the journal and open it again; if not, the same call
 * may succeed later.
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
     * @param cause   the underlying cause.
     */
    public JournalException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
