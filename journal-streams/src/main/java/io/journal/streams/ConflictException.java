// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

/**
 * An append was refused, and nothing was appended: decide again on the events that are there now.
 */
public final class ConflictException extends RuntimeException
{
    /** {@link #condition()} if ids are the cause. */
    public static final int IDS = -1;

    private static final long serialVersionUID = 1L;

    /** Number of the condition, or {@link #IDS}. */
    private final int condition;
    /** Position of the newest event that matches. */
    private final long position;

    /**
     * Constructs the exception.
     *
     * @param message   what was expected and found.
     * @param condition see {@link #condition()}.
     * @param position  see {@link #position()}.
     */
    public ConflictException(final String message, final int condition, final long position)
    {
        super(message);
        this.condition = condition;
        this.position = position;
    }

    /** {@return the number of the condition that does not hold, from 0; 0 for a version; {@link #IDS} for ids} */
    public int condition()
    {
        return condition;
    }

    /** {@return the position of the newest event that matches; 0 if a stream that should be there has no event} */
    public long position()
    {
        return position;
    }
}
