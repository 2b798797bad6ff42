// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import io.journal.JournalException;

/**
 * The records at a reader's position were pruned or truncated. The reader stays there until a seek repositions it.
 */
public final class RecordsGoneException extends JournalException
{
    private static final long serialVersionUID = 1L;

    public RecordsGoneException(final String message, final long nextSequence)
    {
        super(message, null, null, UNKNOWN, nextSequence);
    }
}
