// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NavigableSet;
import java.util.stream.LongStream;

import io.journal.CorruptJournalException;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;

/**
 * Rebuilds a journal's history from the segments alone. A watermark frame of a later term at a sequence that was
 * already passed shows that records were cut: from where the record before it ends, up to that frame. Normative text:
 * {@code docs/format.md}, "Repair". No segment shows a truncation after which nothing was appended.
 */
final class HistoryRebuild
{
    private static final int WINDOW_LENGTH = 1024 * 1024;

    /** Opens a segment; null if it cannot be opened. */
    interface Source
    {
        Segment open(long ordinal) throws IOException;
    }

    /** Consecutive frames of one term in one segment. */
    private static final class Stretch
    {
        final long position;
        final long sequence;
        final long number;
        final long term;
        final long previousTerm;
        long end;
        long nextSequence;

        Stretch(final long position, final FrameCursor mark)
        {
            this.position = position;
            sequence = mark.sequence();
            number = mark.markNumber();
            term = mark.markTerm();
            previousTerm = mark.markPreviousTerm();
            end = position;
            nextSequence = sequence;
        }
    }

    private final Source source;
    private final Layout layout;
    private final FrameCursor cursor;
    // Stretches that belong to the log so far.
    private final List<Stretch> stretches = new ArrayList<>();
    // Where the frames of the segment that is read end.
    private int limit;
    private Stretch current;
    private History history;

    private HistoryRebuild(final Source source, final Layout layout)
    {
        this.source = source;
        this.layout = layout;
        cursor = newCursor(layout);
    }

    /**
     * Whether one of the newest watermark frames that can be read is of a later term than a state's, which then is an
     * older copy.
     */
    static boolean isLaterTermThere(
        final Source source, final Layout layout, final NavigableSet<Long> ordinals, final History history)
        throws IOException
    {
        boolean isBegun = false;
        for (final Iterator<Long> newestFirst = ordinals.descendingIterator(); !isBegun && newestFirst.hasNext();)
        {
            final Segment segment = source.open(newestFirst.next());
            if (null == segment)
            {
                continue;
            }
            try (FrameCursor cursor = newCursor(layout))
            {
                cursor.attach(segment);
                final int limit = limit(segment);
                int offset = SegmentHeader.LENGTH;
                while ((offset = FrameSearch.watermark(cursor, offset, limit)) >= 0)
                {
                    isBegun = true;
                    final boolean isLater = cursor.markNumber() > history.number ||
                        cursor.markNumber() == history.number && cursor.markTerm() != history.term;
                    if (isLater && null == history.cutAt(segment.basePosition + offset))
                    {
                        return true;
                    }
                    offset += FrameHeader.MARK_LENGTH;
                }
            }
        }
        return false;
    }

    /**
     * Reads segments.
     *
     * @param ordinals of the segments, ascending.
     * @return the history; null if no segment begins with a valid frame.
     */
    static History of(final Source source, final Layout layout, final Iterable<Long> ordinals) throws IOException
    {
        final HistoryRebuild rebuild = new HistoryRebuild(source, layout);
        try (rebuild.cursor)
        {
            for (final long ordinal : ordinals)
            {
                final Segment segment = source.open(ordinal);
                if (null != segment)
                {
                    rebuild.cursor.attach(segment);
                    rebuild.limit = limit(segment);
                    rebuild.read(layout.position(ordinal, 0));
                }
            }
        }
        return rebuild.history;
    }

    private void read(final long base) throws IOException
    {
        current = null;
        int offset = SegmentHeader.LENGTH;
        while (offset >= 0 && limit - offset >= FrameHeader.LENGTH)
        {
            if (isTaken(base, offset))
            {
                offset = cursor.nextOffset();
                current.end = base + offset;
                current.nextSequence = cursor.nextSequence();
            }
            else
            {
                current = null;
                offset = FrameSearch.watermark(cursor, offset + FrameHeader.ALIGNMENT, limit);
            }
        }
    }

    /** Whether a frame belongs to the log, as far as the frames before it show. */
    private boolean isTaken(final long base, final int offset) throws IOException
    {
        final boolean isFollowing = null != current && FrameCursor.Verdict.VALID == cursor.examineBatch(
            offset, limit, current.nextSequence);
        if (isFollowing && !cursor.isMark(FrameCursor.Verdict.VALID))
        {
            cursor.checkKnown();
            return true;
        }
        if (!cursor.isMark(cursor.examine(offset, limit, FrameCursor.ANY_SEQUENCE)))
        {
            return false;
        }

        final Stretch last = stretches.isEmpty() ? null : stretches.get(stretches.size() - 1);
        final boolean isSameTerm =
            null != last && last.number == cursor.markNumber() && last.term == cursor.markTerm();
        if (isFollowing && isSameTerm)
        {
            return true;
        }
        final boolean isNext = null == last || isSameTerm && cursor.sequence() >= last.nextSequence ||
            cursor.markNumber() > last.number && begins(base + offset);
        if (isNext)
        {
            current = new Stretch(base + offset, cursor);
            stretches.add(current);
            history = null == history ? first(base, current) : history;
        }
        return isNext;
    }

    /** What precedes the first frame that is valid was cut, or cannot be read. */
    private static History first(final long base, final Stretch stretch)
    {
        return new History(
            stretch.number, stretch.term, base, stretch.sequence, stretch.previousTerm, 0 == base ? 0 : stretch.number,
            List.of(new Cut(
                stretch.number, stretch.term, base + SegmentHeader.LENGTH, stretch.position, stretch.sequence,
                stretch.previousTerm)));
    }

    /**
     * Begins the later term of the watermark frame that the cursor shows, if it can follow the frames that were passed.
     */
    private boolean begins(final long position) throws IOException
    {
        final long number = cursor.markNumber();
        final long term = cursor.markTerm();
        final long sequence = cursor.sequence();
        final long previousTerm = cursor.markPreviousTerm();
        final Stretch last = stretches.get(stretches.size() - 1);
        // The term of the record before is not known if that record is missing.
        final boolean isMissing = sequence > last.nextSequence;
        final long before = isMissing ? Term.NONE : termBefore(sequence);
        if (before != previousTerm && Term.NONE != before && Term.NONE != previousTerm)
        {
            return false;
        }

        // Missing records are no cut, they are damage; records after them may have been cut nevertheless.
        final long from = isMissing ? find(sequence, last.end, position, position) : cutBack(sequence, position);
        if (sequence < history.startSequence)
        {
            history = new History(
                history.number, history.term, history.startPosition, sequence, previousTerm, history.prunedNumber,
                history.cuts());
        }
        history = history.begin(number, term, from, position, sequence, previousTerm);
        // Looking up positions may have moved the cursor.
        return cursor.isMark(cursor.examine(layout.offset(position), limit, FrameCursor.ANY_SEQUENCE));
    }

    private long termBefore(final long sequence)
    {
        for (int i = stretches.size() - 1; i >= 0; i--)
        {
            if (stretches.get(i).sequence < sequence)
            {
                return stretches.get(i).term;
            }
        }
        return stretches.get(0).sequence == sequence ? stretches.get(0).previousTerm : Term.NONE;
    }

    /**
     * Forgets the records from a sequence on; returns the position where the record before it ends.
     *
     * @param position of the watermark frame that shows the cut.
     */
    private long cutBack(final long sequence, final long position) throws IOException
    {
        Stretch last = stretches.get(stretches.size() - 1);
        long removed = position;
        while (last.sequence >= sequence && last.nextSequence > sequence)
        {
            removed = last.position;
            stretches.remove(stretches.size() - 1);
            if (stretches.isEmpty())
            {
                return history.startPosition + SegmentHeader.LENGTH;
            }
            last = stretches.get(stretches.size() - 1);
        }
        if (sequence < last.nextSequence)
        {
            last.end = endBefore(last, sequence);
            last.nextSequence = sequence;
        }
        // The position that is found is not where the record before ends, because a later cut may begin there.
        return layout.place(sequence > last.nextSequence ? find(sequence, last.end, position, removed) : last.end);
    }

    /**
     * Position of a record that was cut, where records before it are damaged: in the segment in which the damage
     * begins, or in that of the watermark frame that shows the cut.
     *
     * @param from      where the damage begins.
     * @param to        position of the watermark frame.
     * @param otherwise returned if the record is not found.
     */
    private long find(final long sequence, final long from, final long to, final long otherwise) throws IOException
    {
        final long first = layout.place(from);
        final long last = Math.max(first, layout.position(layout.ordinal(to), SegmentHeader.LENGTH));
        for (final long start : LongStream.of(first, last).distinct().toArray())
        {
            final Segment segment = source.open(layout.ordinal(start));
            if (null == segment)
            {
                continue;
            }
            try (FrameCursor frames = newCursor(layout))
            {
                frames.attach(segment);
                final int end = (int)Math.min(limit(segment), to - segment.basePosition);
                final int found = FrameSearch.record(frames, layout.offset(start), end, sequence);
                if (found >= 0 && end - found >= FrameHeader.LENGTH &&
                    FrameCursor.Verdict.VALID == frames.examine(found, end, sequence))
                {
                    return segment.basePosition + found;
                }
            }
        }
        return otherwise;
    }

    /** Position where the record before a sequence ends. */
    private long endBefore(final Stretch stretch, final long sequence) throws IOException
    {
        final long base = stretch.position - layout.offset(stretch.position);
        final Segment segment = source.open(layout.ordinal(base));
        if (null == segment)
        {
            throw changed(JournalFiles.segment(layout.ordinal(base)), layout.offset(stretch.position));
        }
        try (FrameCursor frames = newCursor(layout))
        {
            frames.attach(segment);
            int offset = layout.offset(stretch.position);
            long next = stretch.sequence;
            while (next < sequence)
            {
                if (FrameCursor.Verdict.VALID != frames.examineBatch(offset, limit(segment), next))
                {
                    throw changed(segment.name(), offset);
                }
                next = frames.nextSequence();
                offset = frames.nextOffset();
            }
            return base + offset;
        }
    }

    private static CorruptJournalException changed(final String name, final int offset)
    {
        return new CorruptJournalException(
            "the segments change while they are read: file=" + name + ", offset=" + offset);
    }

    private static int limit(final Segment segment) throws IOException
    {
        return (int)Math.min(segment.length, segment.file.length());
    }

    private static FrameCursor newCursor(final Layout layout)
    {
        return new FrameCursor(Window.copying(Math.min(WINDOW_LENGTH, layout.segmentLength)));
    }
}
