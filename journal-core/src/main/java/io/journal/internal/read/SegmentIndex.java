package io.journal.internal.read;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;

/**
 * Cache of the first watermark frames of segments, for a bounded number of segments in one truncation epoch.
 * Thread-safe.
 */
public final class SegmentIndex
{
    private static final int MAX_ENTRIES = 4096;

    private final Map<Long, FirstMark> firstMarks = new LinkedHashMap<>(16, 0.75f, true)
    {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<Long, FirstMark> eldest)
        {
            return size() > MAX_ENTRIES;
        }
    };
    private long epoch;

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

    /**
     * Finds the last segment of a range whose first watermark frame is at or before a sequence or time.
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
        while (low < high)
        {
            final long middle = (low + high + 1) >>> 1;
            final FirstMark mark = firstMark(middle, source, epoch, cursor);
            if ((Key.SEQUENCE == key ? mark.sequence : mark.time) <= wanted)
            {
                low = middle;
            }
            else
            {
                high = middle - 1;
            }
        }

        return low;
    }

    /**
     * The first sequence of a segment.
     */
    public long firstSequence(
        final long ordinal, final ReadSource source, final long epoch, final FrameCursor cursor) throws IOException
    {
        return firstMark(ordinal, source, epoch, cursor).sequence;
    }

    private static final class FirstMark
    {
        private final long sequence;
        private final long time;

        private FirstMark(final long sequence, final long time)
        {
            this.sequence = sequence;
            this.time = time;
        }
    }

    private FirstMark firstMark(
        final long ordinal, final ReadSource source, final long epoch, final FrameCursor cursor) throws IOException
    {
        synchronized (firstMarks)
        {
            if (this.epoch < epoch)
            {
                // A segment that was truncated since may exist again, with other sequences.
                firstMarks.clear();
                this.epoch = epoch;
            }
            final FirstMark known = this.epoch == epoch ? firstMarks.get(ordinal) : null;
            if (null != known)
            {
                return known;
            }
        }

        cursor.attach(source.openSegment(ordinal));
        final FrameCursor.Verdict verdict = cursor.examine(
            SegmentHeader.LENGTH, SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH, FrameCursor.ANY_SEQUENCE);
        if (!cursor.isMark(verdict))
        {
            throw new CorruptJournalException(
                "segment does not begin with a mark: " + cursor.describe(verdict, FrameCursor.ANY_SEQUENCE));
        }

        final FirstMark mark = new FirstMark(cursor.sequence(), cursor.markTimeMs());
        synchronized (firstMarks)
        {
            if (this.epoch == epoch)
            {
                firstMarks.put(ordinal, mark);
            }
        }

        return mark;
    }
}
