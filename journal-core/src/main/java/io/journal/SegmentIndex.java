package io.journal;

import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * First sequences of segments, remembered for a bounded number of them of one truncation epoch. Safe for use by several
 * threads.
 */
final class SegmentIndex
{
    private static final int MAX_ENTRIES = 4096;

    private final Map<Long, Long> firstSequences = new LinkedHashMap<>(16, 0.75f, true)
    {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(final Map.Entry<Long, Long> eldest)
        {
            return size() > MAX_ENTRIES;
        }
    };
    private long epoch;

    /**
     * The last segment of a range that begins at or before a sequence.
     *
     * @param source opens the segments.
     * @param epoch  that the caller knows.
     * @param cursor to read with; it may be left at another segment.
     * @return ordinal of the segment, or the first one's.
     */
    long find(
        final long sequence,
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
            if (firstSequence(middle, source, epoch, cursor) <= sequence)
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
    long firstSequence(
        final long ordinal, final ReadSource source, final long epoch, final FrameCursor cursor) throws IOException
    {
        synchronized (firstSequences)
        {
            if (this.epoch < epoch)
            {
                // What was cut since may be there again, with other sequences.
                firstSequences.clear();
                this.epoch = epoch;
            }
            final Long known = this.epoch == epoch ? firstSequences.get(ordinal) : null;
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

        synchronized (firstSequences)
        {
            if (this.epoch == epoch)
            {
                firstSequences.put(ordinal, cursor.sequence());
            }
        }

        return cursor.sequence();
    }
}
