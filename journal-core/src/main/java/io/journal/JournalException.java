// SPDX-License-Identifier: Apache-2.0
package io.journal;

import org.jspecify.annotations.Nullable;

/**
 * An operation failed for a reason outside the program. Each subclass names one reason; this class itself means that
 * storage failed, or that a resource was missing, such as a file descriptor. {@link JournalCounters#isFailed()} of
 * {@link Journal#counters()} distinguishes the two: if true, close the journal and open it again; if not, the same call
 * may succeed later. Calls after that throw with the first failure as the cause.
 * <p>
 * {@link #file()}, {@link #offset()} and {@link #sequence()} name the place, as far as it is known. The message says
 * the same, and more, for people.
 * <p>
 * A caller's own mistake is an {@link IllegalArgumentException} or an {@link IllegalStateException} instead.
 */
public class JournalException extends RuntimeException
{
    /** A number that is not known. */
    public static final long UNKNOWN = -1;

    private static final long serialVersionUID = 1L;

    /** Name of the file, or null. */
    private final @Nullable String file;
    /** Place in the file, or {@link #UNKNOWN}. */
    private final long offset;
    /** Sequence of the record, or {@link #UNKNOWN}. */
    private final long sequence;

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     */
    public JournalException(final String message)
    {
        this(message, null);
    }

    /**
     * Constructs the exception.
     *
     * @param message what failed, where, and what to do next.
     * @param cause   the underlying cause, or null.
     */
    public JournalException(final String message, final @Nullable Throwable cause)
    {
        this(message, cause, null, UNKNOWN, UNKNOWN);
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
    public JournalException(
        final String message, final @Nullable Throwable cause, final @Nullable String file, final long offset,
        final long sequence)
    {
        super(message, cause);
        this.file = file;
        this.offset = offset;
        this.sequence = sequence;
    }

    /** {@return the file's path within the journal's directory; null if it is not known, or not one file} */
    public final @Nullable String file()
    {
        return file;
    }

    /** {@return the place in that file in bytes; {@link #UNKNOWN} if there is none} */
    public final long offset()
    {
        return offset;
    }

    /** {@return the sequence of the damaged, unreadable or first missing record; {@link #UNKNOWN} if there is none} */
    public final long sequence()
    {
        return sequence;
    }
}
