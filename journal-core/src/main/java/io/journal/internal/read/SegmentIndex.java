// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

import io.journal.CorruptJournalException;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import org.jspecify.annotations.Nullable;

/**
 * Cache of the first watermark frames of segments that belong to the log, for a bounded number of segments.
 * Thread-safe, without a lock.
 */
public final class SegmentIndex
{
    private static final int MAX_ENTRIES = 4096;

    private final ReadSource source;
    private final Map<Long, Known> known = new ConcurrentHashMap<>();

    SegmentIndex(final ReadSource source)
    {
        this.source = source;
    }

    /**
     * Search key. Sequences grow from watermark frame to watermark frame, times only if the clock is never set back.
     */
    public enum Key
    {
        SEQUENCE, TIME;

        /**
         * The key of the watermark frame that a cursor shows.
         */
        long of(final FrameCursor cursor)
        {
            return SEQUENCE == this ? cursor.sequence() : cursor.markTimeMs();
        }
    }

    /**
     * The first watermark frame of a segment.
     *
     * @param previousTerm term of the record before it.
     */
    public record FirstMark(long ordinal, long sequence, long timeMs, long previousTerm)
    {
    }

    /** A frame that was read in a term, because a truncation cuts frames. */
    private record Known(long term, FirstMark mark)
    {
    }

    /**
     * Finds the last segment of a range whose first watermark frame is at or before a sequence or time. Damaged,
     * missing and cut segments are skipped: the target may be in such segments after the one that is found.
     *
     * @param history that the caller has seen.
     * @param cursor  to read with; it may be left at another segment.
     * @return ordinal of the segment, or of the first segment if there is none.
     */
    public long find(
        final Key key,
        final long wanted,
        final long firstOrdinal,
        final long lastOrdinal,
        final History history,
        final FrameCursor cursor) throws IOException
    {
        final long middle = (firstOrdinal + lastOrdinal + 1) >>> 1;
        return find(key, wanted, firstOrdinal, lastOrdinal, middle, history, cursor);
    }

    /** Finds the same, beginning with the segment in which the target probably is. */
    long find(
        final Key key,
        final long wanted,
        final long firstOrdinal,
        final long lastOrdinal,
        final long guess,
        final History history,
        final FrameCursor cursor) throws IOException
    {
        long low = firstOrdinal;
        long high = lastOrdinal;
        long latestMs = Long.MAX_VALUE;
        if (Key.TIME == key && low < high)
        {
            final FirstMark last = firstMarkIfAny(high, history, cursor);
            if (null != last && last.timeMs <= wanted)
            {
                return high;
            }
            // A segment with a later time than the last segment was dated by a wrong clock, which must not mislead the
            // search.
            latestMs = null == last ? latestMs : last.timeMs;
        }
        for (int i = 0; low < high; i++)
        {
            // If the guess is right, this reads two segments only.
            final long probe = Key.TIME == key || i > 1 ? (low + high + 1) >>> 1 : 0 == i ? guess : guess + 1;
            final FirstMark mark =
                near(Math.max(low + 1, Math.min(probe, high)), low, high, latestMs, history, cursor);
            if (null == mark)
            {
                return low;
            }

            if ((Key.SEQUENCE == key ? mark.sequence : mark.timeMs) <= wanted)
            {
                low = mark.ordinal;
            }
            else
            {
                high = mark.ordinal - 1;
            }
        }

        return low;
    }

    /**
     * The first watermark frame of a readable segment near a middle one, above a lowest one, whose time is not later
     * than a limit; null if there is none.
     */
    private FirstMark near(
        final long middle,
        final long low,
        final long high,
        final long latestMs,
        final History history,
        final FrameCursor cursor) throws IOException
    {
        for (long i = 0; i < high - low; i++)
        {
            // Down from the middle, then up from it.
            final long ordinal = i < middle - low ? middle - i : low + 1 + i;
            final FirstMark mark = firstMarkIfAny(ordinal, history, cursor);
            if (null != mark && mark.timeMs <= latestMs)
            {
                return mark;
            }
        }

        return null;
    }

    /** The first watermark frame of a segment, or null if it cannot be read, or the segment is cut as a whole. */
    @Nullable
    FirstMark firstMarkIfAny(final long ordinal, final History history, final FrameCursor cursor) throws IOException
    {
        try
        {
            return history.isDead(ordinal * source.segmentLength(), source.segmentLength()) ? null :
                firstMark(ordinal, history, cursor);
        }
        catch (final CorruptJournalException ex)
        {
            // A reader that reaches the segment reports the damage; a search for something else does not.
            return null;
        }
    }

    /**
     * The first watermark frame of a segment that belongs to the log; if all of it is cut, the frame that follows it.
     */
    public FirstMark firstMark(final long ordinal, final History history, final FrameCursor cursor) throws IOException
    {
        final Known cached = known.get(ordinal);
        if (null != cached && cached.term == history.term)
        {
            return cached.mark;
        }

        final FirstMark mark = read(ordinal, history, cursor);
        if (known.size() >= MAX_ENTRIES)
        {
            known.clear();
        }
        known.put(ordinal, new Known(history.term, mark));
        return mark;
    }

    private FirstMark read(final long ordinal, final History history, final FrameCursor cursor) throws IOException
    {
        final int segmentLength = source.segmentLength();
        final long first = ordinal * segmentLength + SegmentHeader.LENGTH;
        final Cut cut = history.cutAt(first);
        final long position = null == cut ? first : cut.to();
        cursor.attach(source.openSegment(position / segmentLength));
        final int offset = (int)(position & (segmentLength - 1));
        final FrameCursor.Verdict verdict = cursor.examine(
            offset, Math.min(segmentLength, offset + FrameHeader.MARK_LENGTH), FrameCursor.ANY_SEQUENCE);
        final boolean isThere = cursor.isMark(verdict) && (null == cut || cut.term() == cursor.markTerm());
        if (!isThere)
        {
            throw cursor.corrupt(
                null == cut ? "segment does not begin with a watermark frame" : "no watermark frame begins a term",
                verdict, null == cut ? FrameCursor.ANY_SEQUENCE : cut.sequence(), "");
        }

        return new FirstMark(ordinal, cursor.sequence(), cursor.markTimeMs(), cursor.markPreviousTerm());
    }
}
