package io.journal.internal.segment;

import io.journal.internal.format.FrameHeader;

/**
 * The frame of a loaded segment that {@link FrameCursor} examined last. For use by one thread at a time.
 */
abstract class ShownFrame extends LoadedSegment
{
    int offset;
    int storedLength;
    long sequence;
    long tag;

    ShownFrame(final Window window)
    {
        super(window);
    }

    public final int offset()
    {
        return offset;
    }

    public final boolean isControl()
    {
        return storedLength < 0;
    }

    public final long kind()
    {
        return tag;
    }

    public final long tag()
    {
        return tag;
    }

    public final long sequence()
    {
        return sequence;
    }

    /** Sequence of the record that follows the frame. */
    public final long nextSequence()
    {
        if (storedLength > 0)
        {
            return sequence + 1;
        }

        return FrameHeader.BATCH == tag ? sequence + batchCount() : sequence;
    }

    /** Number of records in a batch. */
    public final int batchCount()
    {
        return buffer.getInt(index + FrameHeader.LENGTH);
    }

    public final int storedLength()
    {
        return storedLength;
    }

    /** Offset of the next frame; the segment's length if this is the last one. */
    public final int nextOffset()
    {
        final int next = offset + FrameHeader.align(Math.abs(storedLength));
        return segment.length - next < FrameHeader.LENGTH ? segment.length : next;
    }

    /** Position of the durable watermark that a watermark frame records. */
    public final long forcedPosition()
    {
        return buffer.getLong(index + FrameHeader.LENGTH);
    }

    /** Time of a watermark frame. */
    public final long markTimeMs()
    {
        return buffer.getLong(index + FrameHeader.LENGTH + Long.BYTES);
    }

    /** Number of the term of the records behind a watermark frame. */
    public final long markNumber()
    {
        return buffer.getLong(index + FrameHeader.MARK_NUMBER_OFFSET);
    }

    /** Identity of that term. */
    public final long markTerm()
    {
        return buffer.getLong(index + FrameHeader.MARK_TERM_OFFSET);
    }

    /** Term of the record before a watermark frame; 0 if there is none or it was not known. */
    public final long markPreviousTerm()
    {
        return buffer.getLong(index + FrameHeader.MARK_PREVIOUS_OFFSET);
    }

    /** Index of the frame in {@link #buffer()}. */
    public final int index()
    {
        return index;
    }

    @Override
    public void close()
    {
        super.close();
        offset = -1;
    }
}
