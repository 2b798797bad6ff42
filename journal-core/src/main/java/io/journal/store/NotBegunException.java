package io.journal.store;

import java.io.IOException;

/**
 * Something could not even begin, as without a file descriptor. Nothing was done, storage has not failed, and the same
 * call may work later.
 */
public final class NotBegunException extends IOException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what was to be done.
     * @param cause   what the operating system said.
     */
    public NotBegunException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
