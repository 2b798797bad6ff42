// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;

import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;

/**
 * Reads the records of one segment that can be read: skips invalid bytes up to the next valid frame, wherever that
 * begins. A checksum covers the salt of the segment and the place of the frame, so records whose content resembles
 * frames are not taken for frames. No record of a damaged batch is taken, as far as the frame headers show which
 * records belong to it.
 */
final class SegmentSalvage
{
    /** The first damage since the last valid frame, or null. Read by {@link Salvage} between segments, too. */
    record Damage(String file, int offset, String found)
    {
    }

    /** Lowest length of a record in a segment. */
    static final int MIN_RECORD_LENGTH = FrameHeader.LENGTH;
    private static final int WINDOW_LENGTH = 1024 * 1024;
    // How many bytes a search may verify without a match, in segment lengths.
    private static final int SEARCH_BUDGET = 16;
    private static final int NONE = -1;

    private final Salvage salvage;
    private final String file;
    private final int limit;
    private final boolean isCutShort;
    private final FrameCursor cursor;
    private boolean isReadingAhead = true;
    // Whether the next records, up to the end of a batch, belong to a damaged batch.
    private boolean isInDamagedBatch;

    /**
     * @param file   of the segment, for messages.
     * @param end    offset up to which the segment counts.
     * @param length of the file, which may be cut short.
     */
    SegmentSalvage(final Salvage salvage, final String file, final int end, final long length)
    {
        this.salvage = salvage;
        this.file = file;
        limit = (int)Math.min(end, length);
        isCutShort = length < end;
        cursor = new FrameCursor(Window.copying(Math.min(WINDOW_LENGTH, Math.max(limit, Block.LENGTH))));
    }

    /**
     * @param from offset to begin at: after the segment's header.
     */
    void run(final Segment segment, final int from) throws IOException
    {
        try (cursor)
        {
            cursor.attach(segment);
            int offset = from;
            while (segment.length - offset >= FrameHeader.LENGTH && limit - offset >= FrameHeader.LENGTH)
            {
                if (isFrame(offset))
                {
                    offset = take(offset);
                    salvage.end(position(offset));
                    continue;
                }

                final int next = search(cursor.offset() + FrameHeader.ALIGNMENT);
                if (NONE == next)
                {
                    break;
                }
                // Zeros are no damage unless frames follow.
                salvage.damaged(file, offset, "nothing");
                offset = next;
            }
        }
        if (isCutShort)
        {
            salvage.damaged(file, limit, "nothing: the file was cut short");
        }
    }

    /** Whether a frame that belongs here begins at an offset, and its batch is complete; if not, notes the damage. */
    private boolean isFrame(final int offset)
    {
        FrameCursor.Verdict verdict;
        try
        {
            verdict = cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE);
            if (FrameCursor.Verdict.VALID == verdict && isPossible(offset))
            {
                verdict = cursor.isMore() ? cursor.examineBatch(offset, limit, FrameCursor.ANY_SEQUENCE) : verdict;
                if (FrameCursor.Verdict.VALID == verdict)
                {
                    return true;
                }
            }
        }
        catch (final IOException ex)
        {
            if (stopReadingAhead())
            {
                return isFrame(offset);
            }
            salvage.damaged(file, cursor.offset(), "cannot be read: " + ex);
            isInDamagedBatch |= offset != cursor.offset();
            return false;
        }

        if (FrameCursor.Verdict.ABSENT != verdict || offset != cursor.offset())
        {
            final String description = cursor.describe(verdict, FrameCursor.ANY_SEQUENCE);
            salvage.damaged(file, cursor.offset(), (FrameCursor.Verdict.VALID == verdict ?
                "sequence " + cursor.sequence() : description.substring(description.indexOf("found=") + 6)) +
                (isCutShort ? ", in a file that was cut short" : ""));
        }
        isInDamagedBatch = isBatchDamaged(isInDamagedBatch || offset != cursor.offset());
        return false;
    }

    /**
     * Whether the frames after the examined frame, which is damaged, belong to its batch: by its header, unless that is
     * damaged as well.
     */
    private boolean isBatchDamaged(final boolean isInBatch)
    {
        return FrameHeader.isPlausible(cursor.storedLength(), cursor.segment().length - cursor.offset()) ?
            cursor.isMore() : isInBatch;
    }

    /**
     * Called after a failed read, whose reason may be a block after the needed bytes.
     *
     * @return whether to read the needed bytes again.
     */
    private boolean stopReadingAhead()
    {
        final boolean wasReadingAhead = isReadingAhead;
        isReadingAhead = false;
        cursor.readAhead(0);
        return wasReadingAhead;
    }

    /** Whether the valid frame examined can be here. */
    private boolean isPossible(final int offset)
    {
        return salvage.isPossible(cursor.sequence(), position(offset));
    }

    /**
     * Passes the frame examined to the salvage, or all frames of its batch from an offset on; returns the offset that
     * follows.
     */
    private int take(final int from) throws IOException
    {
        final int end = cursor.nextOffset();
        int offset = isInDamagedBatch && !cursor.isControl() ? end : from;
        isInDamagedBatch = false;
        while (offset < end)
        {
            if (offset != cursor.offset())
            {
                cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE);
            }
            takeFrame();
            offset = cursor.nextOffset();
        }

        return end;
    }

    private void takeFrame()
    {
        final long position = position(cursor.offset());
        if (cursor.isControl())
        {
            cursor.checkKnown();
            salvage.foundControl(cursor.sequence(), position);
        }
        else
        {
            salvage.found(
                cursor.sequence(), cursor.tag(), position, cursor.buffer(), cursor.index() + FrameHeader.LENGTH,
                cursor.length() - FrameHeader.LENGTH);
        }
    }

    /** Offset of the next valid frame that belongs here, or {@link #NONE}. */
    private int search(final int from)
    {
        long budget = (long)SEARCH_BUDGET * cursor.segment().length;
        int offset = from;
        while (limit - offset >= FrameHeader.LENGTH)
        {
            boolean isHeaderRead = false;
            try
            {
                final long next = cursor.peek(offset, limit, FrameCursor.ANY_SEQUENCE);
                isHeaderRead = true;
                if (next > 0 && isPossible(offset))
                {
                    budget -= cursor.length();
                    if (FrameCursor.Verdict.VALID == cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE) &&
                        isPossible(offset))
                    {
                        return offset;
                    }
                    if (budget < 0)
                    {
                        return FrameSearch.watermark(cursor, offset + FrameHeader.ALIGNMENT, limit);
                    }
                }
                offset += FrameHeader.ALIGNMENT;
            }
            catch (final IOException ex)
            {
                if (stopReadingAhead())
                {
                    continue;
                }
                salvage.damaged(file, offset, "cannot be read: " + ex);
                // One bad block must hide neither the next blocks nor the frames before it.
                offset = isHeaderRead && budget >= 0 ? offset + FrameHeader.ALIGNMENT :
                    (offset & -Block.LENGTH) + Block.LENGTH;
            }
        }

        return NONE;
    }

    private long position(final int offset)
    {
        return cursor.segment().basePosition + offset;
    }
}
