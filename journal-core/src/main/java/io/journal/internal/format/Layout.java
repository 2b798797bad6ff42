package io.journal.internal.format;

/**
 * Arithmetic of positions for one segment length.
 */
public final class Layout
{
    /** No position, ordinal, sequence or generation reaches this: sums of two do not overflow. */
    public static final long MAX_POSITION = 1L << 62;

    public static final int MIN_SEGMENT_LENGTH = 64 * 1024;
    public static final int MAX_SEGMENT_LENGTH = 1024 * 1024 * 1024;

    public final int segmentLength;
    private final int shift;

    public Layout(final int segmentLength)
    {
        this.segmentLength = segmentLength;
        shift = Integer.numberOfTrailingZeros(segmentLength);
    }

    public long position(final long ordinal, final int offset)
    {
        return (ordinal << shift) + offset;
    }

    public long ordinal(final long position)
    {
        return position >> shift;
    }

    public int offset(final long position)
    {
        return (int)(position & (segmentLength - 1));
    }

    /**
     * The last of the positions between which nothing can lie: the end of a segment, what is too short for a frame
     * before it, and the first frame of the next segment are one place.
     */
    public long place(final long position)
    {
        final int offset = offset(position);
        if (offset < SegmentHeader.LENGTH)
        {
            return position - offset + SegmentHeader.LENGTH;
        }

        return segmentLength - offset < FrameHeader.LENGTH ?
            position - offset + segmentLength + SegmentHeader.LENGTH : position;
    }
}
