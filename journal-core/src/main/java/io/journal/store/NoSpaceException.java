package io.journal.store;

import java.io.IOException;

/**
 * Disk full: the device has no space left, or the user's quota is exhausted.
 */
public final class NoSpaceException extends IOException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what could not be written.
     * @param cause   the underlying cause.
     */
    public NoSpaceException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
