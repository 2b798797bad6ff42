// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.util.Objects;

import io.journal.JournalReader.Limit;

/**
 * What part of the events is read, and in which direction. Begin with {@link #ALL}, and change what differs.
 *
 * @param after       only events after this position.
 * @param upTo        only events up to this position.
 * @param isBackwards newest first.
 * @param limit       maximum number of events.
 * @param visibility  {@link Limit#WRITTEN} or {@link Limit#FORCED}: durable events only. It is safe to decide on events
 *                    that are only written, because whatever was decided on them becomes durable after them.
 */
public record Range(long after, long upTo, boolean isBackwards, long limit, Limit visibility)
{
    /** All written events, oldest first. */
    public static final Range ALL = new Range(0, Long.MAX_VALUE, false, Long.MAX_VALUE, Limit.WRITTEN);

    /**
     * A range of all its parts.
     *
     * @param after       only events after this position.
     * @param upTo        only events up to this position.
     * @param isBackwards newest first.
     * @param limit       maximum number of events.
     * @param visibility  written or durable events.
     * @throws IllegalArgumentException if a number is negative.
     */
    public Range
    {
        Objects.requireNonNull(visibility, "visibility");
        if (after < 0 || upTo < 0 || limit < 0)
        {
            throw new IllegalArgumentException("negative: after=" + after + ", upTo=" + upTo + ", limit=" + limit);
        }
        after = Math.min(after, Long.MAX_VALUE - 1);
    }

    /**
     * {@return the events after a position, oldest first}
     *
     * @param position of the last event that is not read.
     */
    public static Range from(final long position)
    {
        return new Range(position, Long.MAX_VALUE, false, Long.MAX_VALUE, Limit.WRITTEN);
    }

    /**
     * {@return this range with another end}
     *
     * @param position of the last event that may be read.
     */
    public Range to(final long position)
    {
        return new Range(after, position, isBackwards, limit, visibility);
    }

    /** {@return this range, newest first} */
    public Range backwards()
    {
        return new Range(after, upTo, true, limit, visibility);
    }

    /**
     * {@return this range with another limit}
     *
     * @param count maximum number of events.
     */
    public Range first(final long count)
    {
        return new Range(after, upTo, isBackwards, count, visibility);
    }

    /** {@return this range with durable events only} */
    public Range durable()
    {
        return new Range(after, upTo, isBackwards, limit, Limit.FORCED);
    }
}
