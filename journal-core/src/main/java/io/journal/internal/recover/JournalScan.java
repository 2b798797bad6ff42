package io.journal.internal.recover;

import java.io.IOException;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.SegmentHistory;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.SegmentStore;

/**
 * Finds the end of a journal, and distinguishes corruption from a torn tail. Changes nothing. Normative text:
 * {@code docs/format.md}, "Opening", steps 3 to 6.
 */
public final class JournalScan
{
    private final JournalMeta.State state;
    private final Segments segments;
    private final Layout layout;
    private final List<Long> ordinals;
    private final boolean isFollowing;
    // Position of a pending truncation: everything from there on is ignored.
    private final long cap;

    // C: where the scan ended, the sequence expected there, and what was found instead.
    private long end;
    private long nextSequence;
    private String endReason = "";

    // F: the highest durable watermark found in any file.
    private long durable;
    private long scanStart;
    private boolean isCleanlyClosed;
    private String changes = "nothing was changed";

    private JournalScan(
        final SegmentStore store, final JournalMeta meta, final List<Long> ordinals, final boolean isFollowing)
    {
        state = meta.state;
        segments = new Segments(store, meta, !isFollowing);
        layout = segments.layout;
        this.isFollowing = isFollowing;
        cap = null == state.pending ? Long.MAX_VALUE : state.pending.position;
        this.ordinals = null == state.pending ? ordinals :
            ordinals.stream().filter((ordinal) -> ordinal <= layout.ordinal(cap)).toList();
    }

    /**
     * Scans before the journal is opened for writing; a pending truncation is complete.
     *
     * @param ordinals        of the segments from the journal's start on, ascending.
     * @param markedPosition  durable watermark of the mark file, or 0 if it does not count.
     * @param isCloseBelieved whether a close frame is trusted, which makes a scan unnecessary.
     * @param isTruncated     whether this opening has completed a truncation, for the message of an exception.
     * @throws CorruptJournalException    if bytes below the durable watermark are damaged or missing.
     * @throws UnsupportedFormatException if there is a frame or feature of a newer format that must not be skipped.
     */
    static JournalScan scan(
        final SegmentStore store,
        final JournalMeta meta,
        final List<Long> ordinals,
        final long markedPosition,
        final boolean isCloseBelieved,
        final boolean isTruncated) throws IOException
    {
        final JournalScan scan = new JournalScan(store, meta, ordinals, false);
        scan.changes = isTruncated ?
            "a pending truncation was completed, nothing else was changed" : "nothing was changed";
        return scan.run(markedPosition, isCloseBelieved);
    }

    /**
     * Scans for a read-only opening, while a writer may be appending. A pending truncation is treated as complete.
     */
    public static JournalScan follow(
        final SegmentStore store,
        final JournalMeta meta,
        final List<Long> ordinals,
        final long markedPosition,
        final boolean isCloseBelieved) throws IOException
    {
        final JournalScan scan = new JournalScan(store, meta, ordinals, true);
        return scan.run(Math.min(markedPosition, scan.cap), isCloseBelieved && null == scan.state.pending);
    }

    private JournalScan run(final long markedPosition, final boolean isCloseBelieved) throws IOException
    {
        SegmentSet.checkComplete(ordinals, layout.ordinal(state.startPosition));
        durable = Math.max(markedPosition, layout.position(ordinals.get(0), SegmentHeader.LENGTH));
        nextSequence = isCloseBelieved ?
            CleanClose.nextSequence(segments, ordinals, markedPosition) : CleanClose.NONE;
        isCleanlyClosed = CleanClose.NONE != nextSequence;
        if (isCleanlyClosed)
        {
            end = markedPosition;
            scanStart = markedPosition;
            checkHistory(ordinals.indexOf(layout.ordinal(end - SegmentHeader.LENGTH)));
        }
        else
        {
            scan();
            checkDurable();
            checkHistory(ordinals.indexOf(layout.ordinal(scanStart)));
        }

        return this;
    }

    public long end()
    {
        return end;
    }

    public long nextSequence()
    {
        return nextSequence;
    }

    String endReason()
    {
        return endReason;
    }

    long durable()
    {
        return durable;
    }

    long scanStart()
    {
        return scanStart;
    }

    boolean isCleanlyClosed()
    {
        return isCleanlyClosed;
    }

    /**
     * Reads frame by frame from the segment that holds the highest durable watermark known.
     */
    private void scan() throws IOException
    {
        final int first = firstToScan();
        scanStart = layout.position(ordinals.get(first), SegmentHeader.LENGTH);
        nextSequence = 0 == first ? state.startSequence : FrameCursor.ANY_SEQUENCE;

        try (FrameCursor cursor = segments.cursor(Segments.READ_LENGTH))
        {
            for (int i = first; i < ordinals.size(); i++)
            {
                if (!scanSegment(cursor, ordinals.get(i)))
                {
                    break;
                }
            }
        }
    }

    private int firstToScan() throws IOException
    {
        try (FrameCursor cursor = segments.cursor(Block.LENGTH))
        {
            for (int i = ordinals.size() - 1; i >= 0; i--)
            {
                cursor.attach(segments.open(ordinals.get(i)));
                final FrameCursor.Verdict verdict = cursor.examine(
                    SegmentHeader.LENGTH, layout.segmentLength, FrameCursor.ANY_SEQUENCE);
                if (cursor.isMark(verdict))
                {
                    durable = Math.min(cap, Math.max(durable, cursor.forcedPosition()));
                    break;
                }
            }
        }

        // The end of a segment is the start of the next one: there, only the preceding segment holds the sequence.
        final long ordinal = layout.ordinal(Math.max(0, durable - SegmentHeader.LENGTH - 1));
        return (int)Math.max(0, Math.min(ordinals.size() - 1, ordinal - ordinals.get(0)));
    }

    /**
     * Returns whether the segment is complete, so that the scan continues in the next one.
     */
    private boolean scanSegment(final FrameCursor cursor, final long ordinal) throws IOException
    {
        cursor.attach(segments.open(ordinal));
        final int limit = (int)Math.min(layout.segmentLength, cap - layout.position(ordinal, 0));
        int offset = SegmentHeader.LENGTH;
        while (offset < layout.segmentLength)
        {
            if (layout.position(ordinal, offset) >= cap)
            {
                end = cap;
                return false;
            }

            final FrameCursor.Verdict verdict = cursor.examineBatch(offset, limit, nextSequence);
            if (FrameCursor.Verdict.UNEXPECTED == verdict)
            {
                throw cursor.corrupt("frame out of sequence", verdict, cursor.expectedSequence(), "");
            }

            if (FrameCursor.Verdict.VALID != verdict)
            {
                // Before the first frame of a batch, if its last one is not there.
                end = layout.position(ordinal, offset);
                endReason = cursor.describe(verdict, cursor.expectedSequence());
                return false;
            }

            cursor.checkKnown();
            if (cursor.isMark(verdict))
            {
                durable = Math.max(durable, cursor.forcedPosition());
            }
            nextSequence = cursor.nextSequence();
            offset = cursor.nextOffset();
        }

        end = layout.position(ordinal, layout.segmentLength);
        endReason = "";
        return true;
    }

    /**
     * Checks that the end is not below the highest durable watermark.
     */
    private void checkDurable() throws IOException
    {
        if (end < cap)
        {
            findLaterMarks();
        }
        if (layout.place(durable) > layout.place(end) && !(isFollowing && isThereNow()))
        {
            throw new CorruptJournalException(
                "corruption below the durable watermark: " + (endReason.isEmpty() ? describeMissing() : endReason) +
                    ", durablePosition=" + durable + ", endPosition=" + end +
                    "; " + changes + ": keep the files and restore from a backup",
                null, JournalFiles.segment(layout.ordinal(layout.place(end))), layout.offset(layout.place(end)),
                nextSequence);
        }
    }

    /**
     * Checks, from the end back to a segment that was scanned, that none is an older copy from before a truncation.
     */
    private void checkHistory(final int first) throws IOException
    {
        long epoch = state.epoch;
        long cutPosition = state.cutPosition();
        long historyEnd = layout.place(end);
        try (FrameCursor cursor = segments.cursor(4 * Block.LENGTH))
        {
            for (int i = ordinals.indexOf(layout.ordinal(historyEnd - SegmentHeader.LENGTH - 1)); i >= first; i--)
            {
                cursor.attach(segments.open(ordinals.get(i)));
                SegmentHistory.check(cursor, epoch, cutPosition, historyEnd, "; " + changes);
                final FrameCursor.Verdict verdict = cursor.examine(
                    SegmentHeader.LENGTH, layout.segmentLength, FrameCursor.ANY_SEQUENCE);
                if (!cursor.isMark(verdict))
                {
                    break;
                }
                epoch = cursor.markEpoch();
                cutPosition = cursor.markCutPosition();
                historyEnd = layout.position(ordinals.get(i), 0);
            }
        }
    }

    /**
     * Whether the frame at the end was written after the end was found: then it is not corruption.
     */
    boolean isThereNow() throws IOException
    {
        final long place = layout.place(end);
        if (!segments.store.list().contains(JournalFiles.segment(layout.ordinal(place))))
        {
            return false;
        }

        try (FrameCursor cursor = segments.cursor(Block.LENGTH))
        {
            cursor.attach(segments.open(layout.ordinal(place)));
            return FrameCursor.Verdict.VALID ==
                cursor.examineBatch(layout.offset(place), layout.segmentLength, nextSequence);
        }
    }

    /**
     * Searches for watermark frames after the end, which prove that more was durable.
     */
    private void findLaterMarks() throws IOException
    {
        try (FrameCursor cursor = segments.cursor(Segments.READ_LENGTH))
        {
            for (final long ordinal : ordinals)
            {
                if (ordinal < layout.ordinal(end))
                {
                    continue;
                }

                cursor.attach(segments.open(ordinal));
                final int limit = layout.segmentLength;
                int offset = ordinal == layout.ordinal(end) ? Math.max(layout.offset(end), SegmentHeader.LENGTH) :
                    SegmentHeader.LENGTH;
                while ((offset = FrameSearch.watermark(cursor, offset, limit)) >= 0)
                {
                    durable = Math.max(durable, cursor.forcedPosition());
                    offset += FrameHeader.MARK_LENGTH;
                }
            }
        }
    }

    private String describeMissing()
    {
        return "file=" + JournalFiles.segment(layout.ordinal(layout.place(end))) + ", offset=0, sequence=" +
            nextSequence + ", expected=a segment, found=none";
    }
}
