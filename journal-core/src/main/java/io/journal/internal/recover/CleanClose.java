package io.journal.internal.recover;

import java.io.IOException;
import java.util.List;

import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;

/**
 * Whether a journal ends with a close frame at the durable watermark of the mark file, so that no scan is needed.
 * Normative text: {@code docs/format.md}, "Opening", step 4.
 */
final class CleanClose
{
    /** There is no close frame, or something behind it. */
    static final long NONE = Long.MIN_VALUE;

    // As far as watermark frames are apart, while records are made durable.
    private static final int SEARCH_LENGTH = 64 * 1024;

    private CleanClose()
    {
    }

    /**
     * Returns the sequence that follows the close frame, or {@link #NONE}.
     *
     * @param closeEnd durable watermark of the mark file.
     */
    static long nextSequence(final Segments segments, final List<Long> ordinals, final long closeEnd)
        throws IOException
    {
        final long closeStart = closeEnd - FrameHeader.CLOSE_LENGTH;
        final long ordinal = segments.layout.ordinal(closeStart);
        final int offset = segments.layout.offset(closeStart);
        if (closeStart < 0 || offset < SegmentHeader.LENGTH ||
            !ordinals.contains(ordinal) ||
            segments.layout.segmentLength - offset < FrameHeader.CLOSE_LENGTH + FrameHeader.MARK_LENGTH)
        {
            return NONE;
        }

        final long nextSequence = behindCloseFrame(segments, ordinal, offset);
        return NONE == nextSequence || hasLater(segments, ordinals, ordinal) ? NONE : nextSequence;
    }

    /**
     * Returns the sequence that follows the close frame at a place, or {@link #NONE}.
     */
    private static long behindCloseFrame(final Segments segments, final long ordinal, final int offset)
        throws IOException
    {
        final int limit = segments.layout.segmentLength;
        try (FrameCursor cursor = segments.cursor(4 * Block.LENGTH))
        {
            cursor.attach(segments.open(ordinal));
            if (FrameCursor.Verdict.VALID !=
                cursor.examine(SegmentHeader.LENGTH, limit, FrameCursor.ANY_SEQUENCE))
            {
                return NONE;
            }
            if (FrameCursor.Verdict.VALID != cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE) ||
                !cursor.isControl() || FrameHeader.CLOSE != cursor.kind())
            {
                return NONE;
            }

            final long nextSequence = cursor.sequence();
            final int end = offset + FrameHeader.CLOSE_LENGTH;
            // The mark file may be from before a power loss, and what was appended since begin in a zeroed sector.
            final boolean isLast =
                FrameCursor.Verdict.ABSENT == cursor.examine(end, limit, FrameCursor.ANY_SEQUENCE) &&
                    FrameSearch.watermark(cursor, end, Math.min(limit, end + SEARCH_LENGTH)) < 0;
            return isLast ? nextSequence : NONE;
        }
    }

    /**
     * Whether a later segment has begun. The next one may be prepared, without a frame.
     */
    private static boolean hasLater(final Segments segments, final List<Long> ordinals, final long ordinal)
        throws IOException
    {
        for (final long later : ordinals)
        {
            if (later > ordinal && (later > ordinal + 1 || hasBegun(segments, later)))
            {
                return true;
            }
        }

        return false;
    }

    private static boolean hasBegun(final Segments segments, final long ordinal) throws IOException
    {
        try (FrameCursor cursor = segments.cursor(Block.LENGTH))
        {
            cursor.attach(segments.open(ordinal));
            return FrameCursor.Verdict.ABSENT !=
                cursor.examine(SegmentHeader.LENGTH, segments.layout.segmentLength, FrameCursor.ANY_SEQUENCE);
        }
    }
}
