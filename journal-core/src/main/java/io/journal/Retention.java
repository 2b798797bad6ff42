// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.time.Duration;
import java.util.Objects;

/**
 * How much history a journal keeps automatically. Immutable.
 * <p>
 * The background agent drops whole segments, oldest first. It never drops the newest segment or records that are not
 * durable; nor records that snapshots need, see {@link Snapshots#firstNeededSequence()}; nor, by default, records that
 * a named cursor has not passed. Once snapshots or a consumer have held it back for a minute, a warning is logged.
 * Readers do not hold it back: a reader whose records are gone reports it.
 * <p>
 * While records stream in faster than they are fsynced, up to 15 complete segments are not durable and therefore kept,
 * and the next three segments may be prepared. On a disk without room for these segments, an append that needs space
 * takes that of prepared segments, then fsyncs and drops older segments itself, by the same rules. It throws
 * {@link JournalFullException} only if that makes no room, or if a backup, a snapshot or a truncation prevents that for
 * a second.
 */
public final class Retention
{
    private static final long ALL = Long.MAX_VALUE;
    private static final Duration LONGEST = Duration.ofMillis(Long.MAX_VALUE);
    private static final Retention NONE = new Retention(ALL, ALL, true);

    private final long bytes;
    private final long ageMs;
    private final boolean isRespectingCursors;

    private Retention(final long bytes, final long ageMs, final boolean isRespectingCursors)
    {
        this.bytes = bytes;
        this.ageMs = ageMs;
        this.isRespectingCursors = isRespectingCursors;
    }

    /** {@return the default: everything is kept until {@link Journal#prune(long)}} */
    public static Retention none()
    {
        return NONE;
    }

    /**
     * Keeps segments up to a total number of bytes, the newest included. Segments prepared ahead come on top.
     *
     * @param bytes 1 or more; a number below two segments keeps two, which are 128 MiB unless the journal was created
     *              with another {@link JournalBuilder#segmentLength}.
     * @return the retention.
     * @throws IllegalArgumentException if the number is not positive.
     */
    public static Retention bytes(final long bytes)
    {
        if (bytes < 1)
        {
            throw new IllegalArgumentException("bytes must be positive: bytes=" + bytes);
        }

        return new Retention(bytes, ALL, true);
    }

    /**
     * Also drops segments once they are older than an age, even if the bytes would allow to keep them; see
     * {@link #age}. Segments that exceed the bytes are dropped, however young.
     *
     * @param age a millisecond or more.
     * @return a retention with both limits.
     * @throws IllegalArgumentException if the time is less than a millisecond.
     */
    public Retention andAge(final Duration age)
    {
        return new Retention(bytes, age(age).ageMs, isRespectingCursors);
    }

    /**
     * Keeps records for at least a time, by the clock of {@link JournalBuilder#clock}: a segment is dropped once the
     * next segment was started that long ago. The age drops at most one segment a second, and one more with each
     * completed segment. So a clock that is set far forward for a moment costs a few segments, not all history. A time
     * that is in the future does not count: the segment is then as old as a later one. A clock that is set back keeps
     * records longer, at most by the time that it is set back.
     *
     * @param age a millisecond or more.
     * @return the retention.
     * @throws IllegalArgumentException if the time is less than a millisecond.
     */
    public static Retention age(final Duration age)
    {
        Objects.requireNonNull(age, "age");
        if (age.compareTo(Duration.ofMillis(1)) < 0)
        {
            throw new IllegalArgumentException("age must be a millisecond or more: age=" + age);
        }

        return new Retention(ALL, age.compareTo(LONGEST) < 0 ? age.toMillis() : ALL, true);
    }

    /** {@return the same, but also dropping records that cursors have not passed} */
    public Retention ignoringCursors()
    {
        return new Retention(bytes, ageMs, false);
    }

    @Override
    public String toString()
    {
        return "Retention{bytes=" + (ALL == bytes ? "all" : bytes) +
            ", ageMs=" + (ALL == ageMs ? "all" : ageMs) +
            ", isRespectingCursors=" + isRespectingCursors + '}';
    }

    /** {@return whether everything is kept} */
    public boolean isNone()
    {
        return ALL == bytes && ALL == ageMs;
    }

    /** {@return whether records that cursors have not passed are kept} */
    public boolean isRespectingCursors()
    {
        return isRespectingCursors;
    }

    /** {@return the maximum total bytes of all segments; {@link Long#MAX_VALUE} if that is not limited} */
    public long maxBytes()
    {
        return bytes;
    }

    /** {@return the time that records are kept, in milliseconds; {@link Long#MAX_VALUE} if that is not limited} */
    public long maxAgeMs()
    {
        return ageMs;
    }
}
