package io.journal.store;

import java.io.IOException;

/**
 * An operation could not begin, for example because of file-descriptor exhaustion. Nothing was done, storage has not
 * failed, and the call may be retried.
 */
public final class NotBegunException extends IOException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what could not begin.
     * @param cause   the underlying cause.
     */
    public NotBegunException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
