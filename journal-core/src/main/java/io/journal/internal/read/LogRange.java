// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;

/**
 * A part of a segment that belongs to the log without a cut, so that all frames in it follow one another.
 *
 * @param from  offset of its first frame.
 * @param limit offset after its last frame; at most {@code from} if it has none.
 */
record LogRange(int from, int limit)
{
    private static final int SEARCH_LENGTH = 128 * 1024;

    /** Offset to begin at, also if the part is empty: the start of the segment if all of it is cut. */
    int beginning()
    {
        return from > limit ? SegmentHeader.LENGTH : from;
    }

    /** Tells whether the target is after a cut. */
    interface Side
    {
        boolean isBehind(Cut cut) throws IOException;
    }

    /**
     * The last part of a segment that begins at or before the target.
     *
     * @param limit offset up to which the segment may be read.
     */
    static LogRange find(final History history, final long basePosition, final int limit, final Side side)
        throws IOException
    {
        long from = history.live(basePosition + SegmentHeader.LENGTH);
        final long end = basePosition + limit;
        Cut cut = history.cutEndingAfter(from);
        while (null != cut && cut.to() <= end && side.isBehind(cut))
        {
            from = cut.to();
            cut = history.cutEndingAfter(from);
        }
        return new LogRange(
            (int)Math.min(Integer.MAX_VALUE, from - basePosition),
            (int)((null == cut ? end : Math.min(end, cut.from())) - basePosition));
    }

    /**
     * Offset of a watermark frame before the target, near enough for a cheap scan; or where the part begins. Bisects.
     */
    int markBefore(final FrameCursor cursor, final SegmentIndex.Key key, final long wanted) throws IOException
    {
        int low = from;
        int high = limit;
        while (high - low > SEARCH_LENGTH)
        {
            final int middle = low + FrameHeader.align((high - low) >>> 1);
            final int mark = FrameSearch.watermark(cursor, middle, high);
            if (mark < 0 || key.of(cursor) > wanted)
            {
                high = middle;
            }
            else
            {
                low = mark;
            }
        }
        return low;
    }
}
