// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import io.journal.JournalException;

/**
 * A read, condition or id reaches below the oldest event that is left, and it is not known what was there. {@link
 * #sequence()} is the position of the oldest event.
 */
public final class PrunedException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what was looked for.
     * @param first   position of the oldest event.
     */
    public PrunedException(final String message, final long first)
    {
        super(message, null, null, UNKNOWN, first);
    }
}
