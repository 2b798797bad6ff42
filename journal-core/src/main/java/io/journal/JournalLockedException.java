// SPDX-License-Identifier: Apache-2.0
package io.journal;

import org.jspecify.annotations.Nullable;

/**
 * Another writer has the journal open. An opening that throws this has changed nothing. An open journal throws it once
 * another writer has taken the journal over, because the lock was lost: nothing more is acknowledged.
 */
public final class JournalLockedException extends JournalException
{
    private static final long serialVersionUID = 1L;

    /** Description of the owner, or null. */
    private final @Nullable String owner;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param owner   see {@link #owner()}.
     */
    public JournalLockedException(final String message, final @Nullable String owner)
    {
        super(message);
        this.owner = owner;
    }

    /**
     * {@return the writer that has the journal open, for example {@code pid=4711, since=2026-03-01T10:15:30Z}, after
     * {@code this process: } if it is this one; null if it is not known}
     */
    public @Nullable String owner()
    {
        return owner;
    }
}
