package io.journal.store;

import java.io.IOException;

/**
 * The device, or the user's share of it, is full.
 */
public final class NoSpaceException extends IOException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what was to be written.
     * @param cause   what the operating system said.
     */
    public NoSpaceException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
