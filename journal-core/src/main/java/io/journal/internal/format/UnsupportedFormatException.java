// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.format;

import io.journal.JournalException;

/**
 * The journal was written in a format that this version does not know. Nothing was changed.
 */
public final class UnsupportedFormatException extends JournalException
{
    private static final long serialVersionUID = 1L;

    public UnsupportedFormatException(final String message)
    {
        super(message);
    }

    public UnsupportedFormatException(final String message, final Throwable cause)
    {
        super(message, cause);
    }
}
