package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;

/**
 * Finds the frame before an offset of a segment. A frame gives the offset of the next one only, so the stretch from a
 * watermark frame to the offset is read once, forwards, and the offsets of its frames are kept. Memory is bounded: of a
 * long stretch the last offsets are kept, and it is read again for those before. For one thread at a time.
 */
final class BackwardIndex
{
    private static final int CAPACITY = 8 * 1024;
    private static final int STRETCH_LENGTH = 64 * 1024;

    private final FrameCursor cursor;
    // A stack that drops its oldest element: offsets of the frames that hold records before the end of the stretch.
    private final int[] frameOffsets = new int[CAPACITY];
    private int top;
    private int count;
    private int endOffset;

    BackwardIndex(final FrameCursor cursor)
    {
        this.cursor = cursor;
    }

    /**
     * Shows the last frame with records before an offset.
     *
     * @param nextSequence of the record at the offset.
     * @return false if the segment has no record before the offset.
     */
    boolean find(final int offset, final long nextSequence) throws IOException
    {
        if (count > 0 && offset == frameOffsets[top & (CAPACITY - 1)])
        {
            top--;
            count--;
        }
        else if (offset != endOffset)
        {
            count = 0;
        }
        if (0 == count)
        {
            fill(offset, nextSequence);
        }
        endOffset = offset;
        if (0 == count)
        {
            return false;
        }

        final int frameOffset = frameOffsets[top & (CAPACITY - 1)];
        if (!cursor.isLoaded(frameOffset, offset))
        {
            // Together with the frames before it, which are wanted next.
            final int from = Math.max(SegmentHeader.LENGTH, Math.min(frameOffset, offset - STRETCH_LENGTH));
            cursor.cover(from, offset, offset);
        }
        FoundRecord.show(cursor, frameOffset, offset, FrameCursor.ANY_SEQUENCE);
        return true;
    }

    /**
     * Forgets the offsets: the segment will be another one, or may change.
     */
    void forget()
    {
        count = 0;
    }

    /**
     * Follows the headers of frames, without their checksums: a frame is verified when it is shown, and damage to one
     * that is not wanted does not matter. If they do not lead to the end, verifying them tells why.
     */
    private void fill(final int end, final long nextSequence) throws IOException
    {
        final int start = start(end, nextSequence);
        if (nextSequence != chain(start, end, nextSequence, false))
        {
            final long sequence = chain(start, end, nextSequence, true);
            if (nextSequence != sequence)
            {
                throw new CorruptJournalException(
                    "records are missing: file=" + cursor.segment().name() + ", offset=" + end + ", sequence=" +
                        sequence + ", expected=" + nextSequence + ", found=" + sequence,
                    null, cursor.segment().name(), end, sequence);
            }
        }
    }

    /**
     * Keeps the offsets of the frames with records between two offsets, if they lead to the record at the end.
     *
     * @return sequence of the record that follows the last of them; -1 if their headers do not lead on.
     */
    private long chain(final int start, final int end, final long nextSequence, final boolean isVerified)
        throws IOException
    {
        int offset = start;
        long sequence = offset < end ? FrameCursor.ANY_SEQUENCE : nextSequence;
        int found = 0;
        while (offset < end)
        {
            // The first one in any case: where others begin depends on it.
            if (isVerified || start == offset)
            {
                FoundRecord.show(cursor, offset, end, sequence);
                cursor.checkKnown();
            }
            else if (cursor.peek(offset, end, sequence) < 0)
            {
                return -1;
            }
            sequence = cursor.nextSequence();
            if (sequence > cursor.sequence())
            {
                top++;
                frameOffsets[top & (CAPACITY - 1)] = offset;
                found++;
            }
            offset = cursor.nextOffset();
        }

        if (sequence == nextSequence)
        {
            count = Math.min(found, CAPACITY);
        }
        return sequence;
    }

    /**
     * Offset of a watermark frame with records between it and the end, or of the segment's first frame.
     */
    private int start(final int end, final long nextSequence) throws IOException
    {
        for (int distance = STRETCH_LENGTH; end - distance > SegmentHeader.LENGTH; distance *= 2)
        {
            final int mark = FrameSearch.watermark(cursor, end - distance, end);
            if (mark >= 0 && cursor.sequence() < nextSequence)
            {
                return mark;
            }
        }

        return SegmentHeader.LENGTH;
    }
}
