// SPDX-License-Identifier: Apache-2.0
package io.journal;

import org.jspecify.annotations.Nullable;

/**
 * The disk is full. Existing data is unchanged; the same call succeeds once there is space.
 */
public final class JournalFullException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public JournalFullException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   the underlying cause, or null.
     */
    public JournalFullException(final String message, final @Nullable Throwable cause)
    {
        super(message, cause);
    }
}
