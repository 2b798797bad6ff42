package io.journal.internal.read;

import java.io.IOException;
import java.util.concurrent.ConcurrentHashMap;

import io.journal.CorruptJournalException;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;

/**
 * Cache of the first watermark frames of segments, for a bounded number of segments in one truncation epoch.
 * Thread-safe, without a lock.
 */
public final class SegmentIndex
{
    private static final int MAX_ENTRIES = 4096;

    private volatile Epoch newest = new Epoch(0);

    /**
     * Search key. Both grow from watermark frame to watermark frame, the time only if the clock is never set back.
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

    record FirstMark(long ordinal, long sequence, long timeMs, long epoch, long cutPosition)
    {
    }

    private record Epoch(long epoch, ConcurrentHashMap<Long, FirstMark> firstMarks)
    {
        private Epoch(final long epoch)
        {
            this(epoch, new ConcurrentHashMap<>());
        }
    }

    /**
     * Finds the last segment of a range whose first watermark frame is at or before a sequence or time. Segments that
     * are damaged or missing are passed by: what is looked for may be in those that follow the one that is found.
     *
     * @param source opens the segments.
     * @param epoch  that the caller has seen.
     * @param cursor to read with; it may be left at another segment.
     * @return ordinal of the segment, or that of the first one if none is.
     */
    public long find(
        final Key key,
        final long wanted,
        final long firstOrdinal,
        final long lastOrdinal,
        final ReadSource source,
        final long epoch,
        final FrameCursor cursor) throws IOException
    {
        long low = firstOrdinal;
        long high = lastOrdinal;
        long latestMs = Long.MAX_VALUE;
        if (Key.TIME == key && low < high)
        {
            final FirstMark last = firstMarkIfAny(high, latestMs, source, epoch, cursor);
            if (null != last && last.timeMs <= wanted)
            {
                return high;
            }
            // A segment with a later time than the last one was dated by a wrong clock: it must not mislead the search.
            latestMs = null == last ? latestMs : last.timeMs;
        }
        while (low < high)
        {
            final FirstMark mark = nearMiddle(low, high, latestMs, source, epoch, cursor);
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
     * The first watermark frame of a segment above a lowest one, as near the middle of a range as there is one that can
     * be read and is not later than a time; null if there is none.
     */
    private FirstMark nearMiddle(
        final long low,
        final long high,
        final long latestMs,
        final ReadSource source,
        final long epoch,
        final FrameCursor cursor) throws IOException
    {
        final long middle = (low + high + 1) >>> 1;
        FirstMark mark = null;
        for (long ordinal = middle; null == mark && ordinal > low; ordinal--)
        {
            mark = firstMarkIfAny(ordinal, latestMs, source, epoch, cursor);
        }
        for (long ordinal = middle + 1; null == mark && ordinal <= high; ordinal++)
        {
            mark = firstMarkIfAny(ordinal, latestMs, source, epoch, cursor);
        }

        return mark;
    }

    /** The first watermark frame of a segment, or null if it cannot be read. */
    FirstMark firstMarkIfAny(
        final long ordinal,
        final long latestMs,
        final ReadSource source,
        final long epoch,
        final FrameCursor cursor) throws IOException
    {
        try
        {
            final FirstMark mark = firstMark(ordinal, source, epoch, cursor);
            return mark.timeMs <= latestMs ? mark : null;
        }
        catch (final CorruptJournalException ex)
        {
            // Reported by a reader that comes to it, not to one that looks for something else.
            return null;
        }
    }

    /**
     * The first sequence of a segment.
     */
    public long firstSequence(
        final long ordinal, final ReadSource source, final long epoch, final FrameCursor cursor) throws IOException
    {
        return firstMark(ordinal, source, epoch, cursor).sequence;
    }

    /**
     * Time of a segment's first watermark frame, in epoch milliseconds.
     */
    public long firstTimeMs(
        final long ordinal, final ReadSource source, final long epoch, final FrameCursor cursor) throws IOException
    {
        return firstMark(ordinal, source, epoch, cursor).timeMs;
    }

    private FirstMark firstMark(
        final long ordinal, final ReadSource source, final long epoch, final FrameCursor cursor) throws IOException
    {
        Epoch known = newest;
        if (known.epoch < epoch)
        {
            // A segment that was truncated since may exist again, with other sequences. If threads of different epochs
            // meet here, the older one may win: then the next call begins anew.
            known = new Epoch(epoch);
            newest = known;
        }

        final FirstMark cached = known.epoch == epoch ? known.firstMarks.get(ordinal) : null;
        if (null != cached)
        {
            return cached;
        }

        final FirstMark mark = read(ordinal, source, cursor);
        if (known.epoch == epoch)
        {
            if (known.firstMarks.size() >= MAX_ENTRIES)
            {
                known.firstMarks.clear();
            }
            known.firstMarks.put(ordinal, mark);
        }
        return mark;
    }

    private static FirstMark read(final long ordinal, final ReadSource source, final FrameCursor cursor)
        throws IOException
    {
        cursor.attach(source.openSegment(ordinal));
        final FrameCursor.Verdict verdict = cursor.examine(
            SegmentHeader.LENGTH, SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH, FrameCursor.ANY_SEQUENCE);
        if (!cursor.isMark(verdict))
        {
            throw cursor.corrupt(
                "segment does not begin with a watermark frame", verdict, FrameCursor.ANY_SEQUENCE, "");
        }

        return new FirstMark(
            ordinal, cursor.sequence(), cursor.markTimeMs(), cursor.markEpoch(), cursor.markCutPosition());
    }
}
