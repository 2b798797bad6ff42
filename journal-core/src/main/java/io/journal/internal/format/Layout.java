// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.format;

/**
 * Position arithmetic for one segment length.
 */
public final class Layout
{
    /** Exclusive bound of positions, ordinals, sequences and generations, so that the sum of two does not overflow. */
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
     * Normalises a position. Positions with no room for a frame between them are the same place: the end of a segment,
     * a remainder before it that is too short for a frame, and the first frame of the next segment.
     *
     * @return the last position of that place.
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

    /** The first place at or after a position that has room for the watermark frame that begins a term. */
    public long placeOfTerm(final long position)
    {
        final long place = place(position);
        final int offset = offset(place);
        return segmentLength - offset < FrameHeader.MARK_LENGTH ? place(place - offset + segmentLength) : place;
    }
}
