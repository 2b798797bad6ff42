// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.History;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.control.Term;
import io.journal.internal.segment.Window;

/**
 * The terms of a journal's records, by which consumers recognise the history that they have read. Reads watermark
 * frames alone: damage to a record does not matter. Thread-safe.
 */
public final class Terms
{
    private static final int SEARCH_LENGTH = 128 * 1024;

    private final ReadSource source;

    Terms(final ReadSource source)
    {
        this.source = source;
    }

    /**
     * Term of a record that the journal has, or of the record before its first record.
     *
     * @return the term; {@link Term#NONE} for sequence 0 and for pruned records, whose consumer finds out that they are
     *         gone.
     * @throws JournalException if it cannot be read.
     */
    public long of(final long sequence)
    {
        if (0 == sequence)
        {
            return Term.NONE;
        }
        final long known = source.knownTerm(sequence);
        if (Term.NONE != known)
        {
            return known;
        }

        while (true)
        {
            final History history = source.history();
            JournalException failure = null;
            try
            {
                final long term = find(sequence, history);
                if (source.history() == history)
                {
                    return term;
                }
            }
            catch (final CorruptJournalException ex)
            {
                failure = ex;
            }
            catch (final IOException | InternalError ex)
            {
                failure = new JournalException(
                    "cannot read the term of a record: sequence=" + sequence + "; cause=" + ex, ex);
            }
            if (null != failure && source.history() == history)
            {
                throw failure;
            }
        }
    }

    private long find(final long sequence, final History history) throws IOException
    {
        if (sequence < history.startSequence)
        {
            return sequence == history.startSequence - 1 ? history.startTerm : Term.NONE;
        }

        final int segmentLength = source.segmentLength();
        final long first = history.startPosition / segmentLength;
        final long end = source.readableEnd(ReadSource.End.WRITTEN, 0);
        final long last = Math.max(first, (end - SegmentHeader.LENGTH - 1) / segmentLength);
        try (FrameCursor cursor = new FrameCursor(Window.copying(ReadSource.WINDOW_LENGTH)))
        {
            final long ordinal =
                source.index().find(SegmentIndex.Key.SEQUENCE, sequence, first, last, history, cursor);
            long term = findIn(cursor, sequence, history, ordinal, end);
            for (long next = ordinal + 1; next <= last && !isBegunBehind(next, history, cursor); next++)
            {
                // The first watermark frame of that segment is damaged: the record may be in the segment.
                final long later = findIn(cursor, sequence, history, next, end);
                term = Term.NONE == later ? term : later;
            }
            if (Term.NONE == term)
            {
                throw cursor.corrupt(
                    "no watermark frame before a record", FrameCursor.Verdict.ABSENT, sequence, "");
            }
            return term;
        }
    }

    /** Whether a segment after the one from the index is cut, or its first watermark frame can be read. */
    private boolean isBegunBehind(final long ordinal, final History history, final FrameCursor cursor)
        throws IOException
    {
        try
        {
            return history.isDead(ordinal * source.segmentLength(), source.segmentLength()) ||
                source.index().firstMark(ordinal, history, cursor).sequence() > 0;
        }
        catch (final CorruptJournalException ex)
        {
            return false;
        }
    }

    /** Term of the last watermark frame before a record, or {@link Term#NONE} if the segment has none. */
    private long findIn(
        final FrameCursor cursor, final long sequence, final History history, final long ordinal, final long end)
        throws IOException
    {
        final long basePosition = ordinal * source.segmentLength();
        final LogRange range = LogRange.find(
            history, basePosition, (int)Math.min(source.segmentLength(), end - basePosition),
            (cut) -> cut.sequence() <= sequence);
        final int limit = range.limit();
        int low = range.from();
        int high = limit;
        cursor.attach(source.openSegment(ordinal));
        while (high - low > SEARCH_LENGTH)
        {
            final int middle = low + FrameHeader.align((high - low) >>> 1);
            final int mark = FrameSearch.watermark(cursor, middle, high);
            if (mark < 0 || cursor.sequence() > sequence)
            {
                high = middle;
            }
            else
            {
                low = mark;
            }
        }

        long term = Term.NONE;
        int mark = FrameSearch.watermark(cursor, low, limit);
        while (mark >= 0 && cursor.sequence() <= sequence)
        {
            term = cursor.markTerm();
            mark = FrameSearch.watermark(cursor, mark + FrameHeader.MARK_LENGTH, limit);
        }
        return term;
    }
}
