// SPDX-License-Identifier: Apache-2.0
package io.journal;

import org.jspecify.annotations.Nullable;

/**
 * There is no journal in the directory, or it has not been created completely; or none can be created there, since the
 * parent of the directory does not exist. A process that follows a journal may wait for its writer: it opens the
 * journal again a little later. Nothing was changed.
 */
public final class JournalNotFoundException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message where there is no journal, and what to do next.
     */
    public JournalNotFoundException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message where there is no journal, and what to do next.
     * @param cause   the underlying cause, or null.
     */
    public JournalNotFoundException(final String message, final @Nullable Throwable cause)
    {
        super(message, cause);
    }
}
