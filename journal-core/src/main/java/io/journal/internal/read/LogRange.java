// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.format.SegmentHeader;

/**
 * A part of a segment that belongs to the log without a cut, so that all frames in it follow one another.
 *
 * @param from  offset of its first frame.
 * @param limit offset after its last frame; at most {@code from} if it has none.
 */
record LogRange(int from, int limit)
{
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
        while (null != cut && cut.from() < end)
        {
            if (cut.to() > end || !side.isBehind(cut))
            {
                return of(basePosition, from, cut.from());
            }
            from = cut.to();
            cut = history.cutEndingAfter(from);
        }
        return of(basePosition, from, end);
    }

    private static LogRange of(final long basePosition, final long from, final long to)
    {
        return new LogRange((int)Math.min(Integer.MAX_VALUE, from - basePosition), (int)(to - basePosition));
    }
}
