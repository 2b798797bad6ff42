package io.journal.internal.segment;

import java.io.IOException;
import java.util.function.LongSupplier;

import io.journal.CorruptJournalException;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;

/**
 * Terms: each opening for writing and each truncation begins one, a random number that every watermark frame carries. A
 * record is of the term of the last watermark frame before it. So a sequence and its term identify a record for good,
 * also in a directory that was rolled back: the records that are appended there afterwards are of another term.
 * Normative text: {@code docs/format.md}, "Terms".
 */
public final class Term
{
    /** Where no record is before, or where its term is not known any more. */
    public static final long NONE = 0;

    // As far as watermark frames are apart, as long as no longer record lies between.
    private static final int STEP_LENGTH = 64 * 1024;

    /** Opens a segment. */
    public interface Source
    {
        Segment open(long ordinal) throws IOException;
    }

    private Term()
    {
    }

    public static long next(final LongSupplier randoms)
    {
        return randoms.getAsLong() >>> 2 | 1;
    }

    /**
     * Term of the record before a position, or {@link #NONE} if there is none, or damage hides it.
     *
     * @param meta         with the journal's start.
     * @param position     below which all frames are valid.
     * @param nextSequence of the record at the position.
     */
    public static long before(
        final Source source, final JournalMeta meta, final long position, final long nextSequence) throws IOException
    {
        final int segmentLength = meta.segmentLength;
        if (nextSequence > meta.state.startSequence)
        {
            try (FrameCursor cursor = new FrameCursor(Window.copying(4 * Block.LENGTH)))
            {
                for (long base = position - 1 & -segmentLength; base >= meta.state.startPosition; base -= segmentLength)
                {
                    final int offset = (int)Math.min(segmentLength, position - base);
                    if (offset > SegmentHeader.LENGTH)
                    {
                        cursor.attach(source.open(base / segmentLength));
                        final long term = before(cursor, offset, nextSequence);
                        if (NONE != term || !isBegunAt(cursor, nextSequence))
                        {
                            return term;
                        }
                    }
                }
            }
            catch (final CorruptJournalException ex)
            {
                return NONE;
            }
        }

        return meta.state.startTerm;
    }

    /** Whether the segment's first watermark frame can be read, and no record is before the next one in it. */
    private static boolean isBegunAt(final FrameCursor cursor, final long nextSequence) throws IOException
    {
        final FrameCursor.Verdict verdict = cursor.examine(
            SegmentHeader.LENGTH, cursor.segment().length, FrameCursor.ANY_SEQUENCE);
        return cursor.isMark(verdict) && cursor.sequence() >= nextSequence;
    }

    /** A term that has begun without a record yet does not count. */
    private static long before(final FrameCursor cursor, final int offset, final long nextSequence) throws IOException
    {
        long term = NONE;
        int limit = offset;
        int from = offset;
        while (NONE == term && from > SegmentHeader.LENGTH)
        {
            from = Math.max(SegmentHeader.LENGTH, from - STEP_LENGTH);
            int mark = FrameSearch.watermark(cursor, from, limit);
            while (mark >= 0 && cursor.sequence() < nextSequence)
            {
                term = cursor.markTerm();
                mark = FrameSearch.watermark(cursor, mark + FrameHeader.MARK_LENGTH, limit);
            }
            // A frame may begin before this range and end in it.
            limit = Math.min(offset, from + FrameHeader.MARK_LENGTH - FrameHeader.ALIGNMENT);
        }

        return term;
    }
}
