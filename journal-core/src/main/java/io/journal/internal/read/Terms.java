// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Window;

/**
 * The terms of a journal's records, by which consumers recognise the history that they have read. Reads watermark
 * frames alone: damage to a record does not matter. Thread-safe.
 */
public final class Terms
{
    private final ReadSource source;

    Terms(final ReadSource source)
    {
        this.source = source;
    }

    /**
     * Term of a record that the journal has had, or of the record before its first record.
     *
     * @return the term; {@link Term#NONE} for sequence 0 and for records that are pruned or truncated meanwhile, whose
     *         consumer finds out that they are gone.
     * @throws JournalException if it cannot be read.
     */
    public long of(final long sequence)
    {
        final long known = 0 == sequence ? Term.NONE : source.knownTerm(sequence);
        if (0 == sequence || Term.NONE != known)
        {
            return known;
        }

        while (true)
        {
            final History history = source.history();
            if (sequence >= history.startSequence && sequence > source.lastSequence(JournalReader.Limit.WRITTEN))
            {
                return Term.NONE;
            }
            JournalException failure = null;
            long term = Term.NONE;
            try
            {
                term = find(sequence, history);
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
            // If something was pruned or truncated meanwhile, the result means nothing.
            if (source.history() == history)
            {
                if (null != failure)
                {
                    throw failure;
                }
                return term;
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
        final SegmentIndex index = source.index();
        final long first = history.startPosition / segmentLength;
        final long end = source.readableEnd(JournalReader.Limit.WRITTEN, 0);
        final long last = Math.max(first, (end - SegmentHeader.LENGTH - 1) / segmentLength);
        try (FrameCursor cursor = new FrameCursor(Window.copying(ReadSource.WINDOW_LENGTH)))
        {
            long next = index.find(SegmentIndex.Key.SEQUENCE, sequence, first, last, history, cursor);
            long term = findIn(cursor, sequence, history, next++, end);
            // If the first watermark frame of the next segment is damaged, the record may be in that segment.
            while (next <= last && !history.isDead(next * segmentLength, segmentLength) &&
                null == index.firstMarkIfAny(next, history, cursor))
            {
                final long later = findIn(cursor, sequence, history, next++, end);
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

    /** Term of the last watermark frame before a record, or {@link Term#NONE} if the segment has none. */
    private long findIn(
        final FrameCursor cursor, final long sequence, final History history, final long ordinal, final long end)
        throws IOException
    {
        final long basePosition = ordinal * source.segmentLength();
        final LogRange range = LogRange.find(
            history, basePosition, (int)Math.min(source.segmentLength(), end - basePosition),
            (cut) -> cut.sequence() <= sequence);
        cursor.attach(source.openSegment(ordinal));
        long term = Term.NONE;
        int mark = FrameSearch.watermark(
            cursor, range.markBefore(cursor, SegmentIndex.Key.SEQUENCE, sequence), range.limit());
        while (mark >= 0 && cursor.sequence() <= sequence)
        {
            term = cursor.markTerm();
            mark = FrameSearch.watermark(cursor, mark + FrameHeader.MARK_LENGTH, range.limit());
        }
        return term;
    }
}
