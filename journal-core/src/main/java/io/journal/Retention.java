package io.journal;

import java.time.Duration;
import java.util.Objects;

/**
 * How much history a journal keeps by itself. Immutable.
 * <p>
 * Whole segments are dropped, oldest first, by the background agent: never the newest, never what is not forced, and
 * nothing that a named cursor has still to read, unless told so. Readers do not hold it back: one whose records are
 * gone says so.
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

    /**
     * Keeps everything until {@link Journal#prune(long)}. The default.
     *
     * @return the retention.
     */
    public static Retention none()
    {
        return NONE;
    }

    /**
     * Keeps segments that take at most a number of bytes together; one segment more while the newest is filled.
     *
     * @param bytes 1 or more; what is less than two segments keeps two.
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
     * Keeps records for at least a time, by the clock of {@link JournalBuilder#clock}: a segment goes when the one
     * behind it was begun that long ago. A clock that is set ahead makes everything older at once; one that is set back
     * keeps it longer.
     *
     * @param age positive.
     * @return the retention.
     * @throws IllegalArgumentException if the time is not positive.
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

    /**
     * The same, but also what cursors have still to read is dropped.
     *
     * @return the retention.
     */
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

    /**
     * Whether everything is kept.
     *
     * @return true for {@link #none()}.
     */
    public boolean isNone()
    {
        return ALL == bytes && ALL == ageMs;
    }

    /**
     * Whether what cursors have still to read is kept.
     *
     * @return false after {@link #ignoringCursors()}.
     */
    public boolean isRespectingCursors()
    {
        return isRespectingCursors;
    }

    /**
     * Bytes that all segments may take together.
     *
     * @return number of bytes; {@link Long#MAX_VALUE} if that is not limited.
     */
    public long maxBytes()
    {
        return bytes;
    }

    /**
     * How long records are kept at least.
     *
     * @return time in milliseconds; {@link Long#MAX_VALUE} if that is not limited.
     */
    public long maxAgeMs()
    {
        return ageMs;
    }
}
