// SPDX-License-Identifier: Apache-2.0
package io.journal;

import org.jspecify.annotations.Nullable;

/**
 * The journal is corrupt: its bytes are not what was written, or a file does not belong there. Nothing was changed.
 */
public final class CorruptJournalException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public CorruptJournalException(final String message)
    {
        super(message);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   the underlying cause, or null.
     */
    public CorruptJournalException(final String message, final @Nullable Throwable cause)
    {
        super(message, cause);
    }

    /**
     * Constructs the exception.
     *
     * @param message  what failed, where, and what to do next.
     * @param cause    the underlying cause, or null.
     * @param file     see {@link #file()}.
     * @param offset   see {@link #offset()}.
     * @param sequence see {@link #sequence()}.
     */
    public CorruptJournalException(
        final String message, final @Nullable Throwable cause, final @Nullable String file, final long offset,
        final long sequence)
    {
        super(message, cause, file, offset, sequence);
    }
}
