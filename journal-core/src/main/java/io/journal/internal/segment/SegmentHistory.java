package io.journal.internal.segment;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;

/**
 * Whether a segment is of the same history as what follows it, and not an older copy of its file, from before a
 * truncation. The one rule for opening, readers and the verifier. Normative text: {@code docs/format.md}, "Older
 * copies".
 */
public final class SegmentHistory
{
    private SegmentHistory()
    {
    }

    /**
     * Checks the segment of a cursor against the truncation that is the newest one for what follows it.
     *
     * @param epoch       truncation epoch of the next segment's first watermark frame; of {@code journal.meta} if the
     *                    journal ends in the segment.
     * @param cutPosition of the truncation that began that epoch, from the same place; 0 if there was none or it is
     *                    unknown.
     * @param end         position up to which the segment belongs to the journal.
     * @param changes     to the journal until now, for the message; may be empty.
     * @throws CorruptJournalException if the segment holds other frames behind that truncation than the journal's.
     */
    public static void check(
        final FrameCursor cursor, final long epoch, final long cutPosition, final long end, final String changes)
        throws IOException
    {
        final Segment segment = cursor.segment();
        final long place =
            Math.max(markPlace(cutPosition, segment.length), segment.basePosition + SegmentHeader.LENGTH);
        final int limit = (int)Math.min(segment.length, end - segment.basePosition);
        if (0 == cutPosition || place - segment.basePosition >= limit)
        {
            return;
        }

        final int offset = (int)(place - segment.basePosition);
        FrameCursor.Verdict verdict = cursor.verify(offset, segment.length, FrameCursor.ANY_SEQUENCE);
        if (FrameCursor.Verdict.VALID != verdict)
        {
            // Maybe damaged, for others to report: then the watermark frames behind it are of the epoch.
            verdict = FrameSearch.watermark(cursor, offset, limit) < 0 ? verdict : FrameCursor.Verdict.VALID;
        }
        if (!cursor.isMark(verdict) || epoch != cursor.markEpoch())
        {
            final String found = cursor.isMark(verdict) ? "that of epoch " + cursor.markEpoch() :
                FrameCursor.Verdict.VALID == verdict ? "another frame" : "none";
            throw new CorruptJournalException(
                "not what was written after the last truncation: file=" + segment.name() + ", offset=" + offset +
                    ", expected=the watermark frame of epoch " + epoch + ", found=" + found + changes +
                    "; the file may be an older copy: keep the files and restore from a backup",
                null, segment.name(), offset, CorruptJournalException.UNKNOWN);
        }
    }

    /** The first place from a position on that has room for a watermark frame: the truncation left one there. */
    private static long markPlace(final long position, final int segmentLength)
    {
        final int offset = (int)(position & (segmentLength - 1));
        return segmentLength - offset < FrameHeader.MARK_LENGTH ? position - offset + segmentLength : position;
    }
}
