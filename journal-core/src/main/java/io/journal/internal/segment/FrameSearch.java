// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.internal.format.FrameHeader;

/**
 * Searches a segment for frames and content that the frames before do not lead to: after the end of a journal, or in
 * the middle of a segment. {@link FrameCursor} decides what a valid frame is.
 */
public final class FrameSearch
{
    /**
     * How often the bytes of a segment may be checked in one search, because byte ranges that resemble frames may
     * overlap.
     */
    private static final long BUDGET = 4;
    /** For longer records, a search among watermark frames is as quick. */
    private static final int NEAR_LENGTH = 64 * 1024;
    private static final int NEAR_ATTEMPTS = 4;
    private static final int ZEROS_LENGTH = 16 * 1024;

    private FrameSearch()
    {
    }

    /**
     * Offset of the first valid watermark frame of any sequence, which is then the frame examined; -1 if there is none.
     *
     * @param from offset to begin at, a multiple of 8.
     */
    public static int watermark(final FrameCursor cursor, final int from, final int limit) throws IOException
    {
        int offset = from;
        while (limit - offset >= FrameHeader.MARK_LENGTH)
        {
            cursor.ensure(offset, FrameHeader.MARK_LENGTH, limit);
            final ByteBuffer buffer = cursor.buffer();
            final int loaded = Math.min(cursor.loadedEnd(), limit);
            if (isZero(cursor, loaded - offset))
            {
                offset = loaded;
                continue;
            }
            for (int i = cursor.index(); loaded - offset >= FrameHeader.MARK_LENGTH; i += FrameHeader.ALIGNMENT)
            {
                // Such a frame is loaded completely, so examining it does not move the window.
                if (-FrameHeader.MARK_LENGTH == FrameHeader.storedLength(buffer, i) &&
                    FrameHeader.MARK == FrameHeader.tag(buffer, i) &&
                    FrameCursor.Verdict.VALID == cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE))
                {
                    return offset;
                }
                offset += FrameHeader.ALIGNMENT;
            }
        }

        return -1;
    }

    /**
     * Offset of the first valid frame from an offset on, which is then the frame examined; -1 if there is none near, or
     * too many bytes resemble frames.
     *
     * @param first lowest sequence that a frame there can have.
     * @param last  highest sequence.
     */
    public static int near(
        final FrameCursor cursor, final int from, final int limit, final long first, final long last)
        throws IOException
    {
        int attempts = NEAR_ATTEMPTS;
        final int end = Math.min(limit - FrameHeader.LENGTH, from + NEAR_LENGTH);
        for (int offset = from; offset <= end && attempts > 0; offset += FrameHeader.ALIGNMENT)
        {
            final boolean isCandidate = cursor.peek(offset, limit, FrameCursor.ANY_SEQUENCE) > 0 &&
                cursor.sequence() >= first && cursor.sequence() <= last;
            if (isCandidate)
            {
                if (FrameCursor.Verdict.VALID == cursor.verify(offset, limit, FrameCursor.ANY_SEQUENCE))
                {
                    return offset;
                }
                attempts--;
            }
        }

        return -1;
    }

    /**
     * Offset of the valid frame that holds a record, which is then the frame examined; otherwise the offset after the
     * last valid frame before the record, where the record should be; -1 if there is no such frame. If too many bytes
     * resemble frames to check them all, continues from watermark frame to watermark frame.
     */
    public static int record(final FrameCursor cursor, final int from, final int limit, final long sequence)
        throws IOException
    {
        long budget = BUDGET * cursor.segment().length;
        int found = -1;
        int offset = from;
        while (offset >= 0 && limit - offset >= FrameHeader.LENGTH)
        {
            final long next = cursor.peek(offset, limit, FrameCursor.ANY_SEQUENCE);
            final boolean isBehind = cursor.sequence() > sequence;
            final boolean isCandidate = next > 0 && (!isBehind || cursor.isControl());
            final int length = isCandidate ? cursor.length() : 0;
            if (!isCandidate ||
                FrameCursor.Verdict.VALID != cursor.verify(offset, limit, FrameCursor.ANY_SEQUENCE))
            {
                budget -= length;
                offset += FrameHeader.ALIGNMENT;
                offset = budget < 0 ? watermark(cursor, offset, limit) : offset;
            }
            else if (isBehind)
            {
                return found;
            }
            else if (next > sequence)
            {
                return offset;
            }
            else
            {
                offset = cursor.nextOffset();
                found = offset;
            }
        }

        return found;
    }

    /**
     * Offset after the last byte that is not zero, at least {@code from}.
     */
    public static int contentEnd(final FrameCursor cursor, final int from, final int limit) throws IOException
    {
        int end = from;
        for (int offset = from; offset < limit;)
        {
            cursor.ensure(offset, FrameHeader.ALIGNMENT, limit);
            final ByteBuffer buffer = cursor.buffer();
            final int loaded = Math.min(cursor.loadedEnd(), limit);
            if (isZero(cursor, loaded - offset))
            {
                offset = loaded;
                continue;
            }
            for (int i = cursor.index(); offset < loaded; i += Long.BYTES)
            {
                final long bytes = buffer.getLong(i);
                offset += Long.BYTES;
                if (0 != bytes)
                {
                    end = offset - Long.numberOfLeadingZeros(bytes) / Byte.SIZE;
                }
            }
        }

        return end;
    }

    /**
     * Offset after the last valid frame, at least {@code from}, for segments that also hold stale bytes of the file's
     * previous use. If too many bytes resemble frames to check them all, returns the result of {@link #contentEnd}.
     *
     * @param firstSequence lowest sequence that a frame there can have.
     */
    public static int framesEnd(
        final FrameCursor cursor, final int from, final int limit, final long firstSequence) throws IOException
    {
        final int length = cursor.segment().length;
        long budget = BUDGET * length;
        int end = from;
        for (int offset = from; limit - offset >= FrameHeader.LENGTH && budget >= 0; offset += FrameHeader.ALIGNMENT)
        {
            cursor.ensure(offset, FrameHeader.LENGTH, limit);
            final int storedLength = FrameHeader.storedLength(cursor.buffer(), cursor.index());
            // Stale frames of the file's previous use have lower sequences.
            final long distance = FrameHeader.sequence(cursor.buffer(), cursor.index()) - firstSequence;
            if (distance >= 0 && distance <= length && FrameHeader.isPlausible(storedLength, limit - offset))
            {
                if (FrameCursor.Verdict.VALID == cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE))
                {
                    end = Math.max(end, cursor.nextOffset());
                }
                budget -= FrameHeader.length(storedLength);
            }
        }

        return budget < 0 ? contentEnd(cursor, from, limit) : end;
    }

    /**
     * Whether the loaded bytes from the cursor's index on are zero, as most are after the end of a journal: the first
     * byte is, and each byte equals the next. The JDK compares ranges with vector instructions. Not used for short
     * ranges among records, where each search would leave the slices as garbage.
     */
    private static boolean isZero(final FrameCursor cursor, final int length)
    {
        final ByteBuffer buffer = cursor.buffer();
        final int index = cursor.index();
        return length >= ZEROS_LENGTH && 0 == buffer.get(index) &&
            buffer.slice(index, length - 1).mismatch(buffer.slice(index + 1, length - 1)) < 0;
    }
}
