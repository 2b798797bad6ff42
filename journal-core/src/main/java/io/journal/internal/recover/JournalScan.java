package io.journal.internal.recover;

import java.io.IOException;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FrameSearch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.Segment;
import io.journal.internal.files.SegmentSet;
import io.journal.internal.files.Window;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.format.UnsupportedFormatException;
import io.journal.store.SegmentStore;

/**
 * Finds the end of a journal, and distinguishes corruption from a torn tail. Changes nothing. Normative text:
 * {@code docs/format.md}, "Opening", steps 3 to 6.
 * <p>
 * Uses positional reads on every backend: an access to a mapping of a damaged or shortened file could crash the JVM.
 */
public final class JournalScan
{
    private static final int READ_LENGTH = 1024 * 1024;

    private final SegmentStore store;
    private final JournalMeta meta;
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

    private JournalScan(
        final SegmentStore store, final JournalMeta meta, final List<Long> ordinals, final boolean isFollowing)
    {
        this.store = store;
        this.meta = meta;
        this.layout = new Layout(meta.segmentLength);
        this.ordinals = ordinals;
        this.isFollowing = isFollowing;
        cap = null == meta.state.pending ? Long.MAX_VALUE : meta.state.pending.position;
    }

    /**
     * Scans.
     *
     * @param ordinals        of the segments from the journal's start on, ascending.
     * @param markedPosition  durable watermark of the mark file, or 0 if it does not count.
     * @param isCloseBelieved whether a close frame is trusted, which makes a scan unnecessary.
     * @throws CorruptJournalException    if bytes below the durable watermark are damaged or missing.
     * @throws UnsupportedFormatException if there is a frame or feature of a newer format that must not be skipped.
     */
    static JournalScan scan(
        final SegmentStore store,
        final JournalMeta meta,
        final List<Long> ordinals,
        final long markedPosition,
        final boolean isCloseBelieved) throws IOException
    {
        return scan(new JournalScan(store, meta, ordinals, false), markedPosition, isCloseBelieved);
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
        final Layout layout = new Layout(meta.segmentLength);
        final JournalScan scan;
        if (null == meta.state.pending)
        {
            scan = new JournalScan(store, meta, ordinals, true);
        }
        else
        {
            final long lastOrdinal = layout.ordinal(meta.state.pending.position);
            scan = new JournalScan(
                store, meta, ordinals.stream().filter((ordinal) -> ordinal <= lastOrdinal).toList(), true);
        }

        return scan(scan, Math.min(markedPosition, scan.cap), isCloseBelieved && null == meta.state.pending);
    }

    private static JournalScan scan(
        final JournalScan scan, final long markedPosition, final boolean isCloseBelieved) throws IOException
    {
        SegmentSet.checkComplete(scan.ordinals, scan.layout.ordinal(scan.meta.state.startPosition));
        scan.durable =
            Math.max(markedPosition, scan.layout.position(scan.ordinals.get(0), SegmentHeader.LENGTH));
        if (!isCloseBelieved || !scan.findCloseFrame(markedPosition))
        {
            scan.scan();
            scan.checkDurable();
        }

        return scan;
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
     * After a clean close, the end is at the durable watermark of the mark file, and no scan is needed.
     */
    private boolean findCloseFrame(final long closeEnd) throws IOException
    {
        final long closeStart = closeEnd - FrameHeader.CLOSE_LENGTH;
        final long ordinal = layout.ordinal(closeStart);
        final int offset = layout.offset(closeStart);
        if (closeStart < 0 || offset < SegmentHeader.LENGTH ||
            !ordinals.contains(ordinal) ||
            layout.segmentLength - offset < FrameHeader.CLOSE_LENGTH + FrameHeader.MARK_LENGTH)
        {
            return false;
        }

        try (FrameCursor cursor = cursor(4 * Block.LENGTH))
        {
            cursor.attach(open(ordinal));
            final int behind = offset + FrameHeader.CLOSE_LENGTH;
            if (FrameCursor.Verdict.VALID !=
                cursor.examine(SegmentHeader.LENGTH, layout.segmentLength, FrameCursor.ANY_SEQUENCE))
            {
                return false;
            }
            if (FrameCursor.Verdict.VALID != cursor.examine(offset, layout.segmentLength, FrameCursor.ANY_SEQUENCE) ||
                !cursor.isControl() || FrameHeader.CLOSE != cursor.kind())
            {
                return false;
            }

            nextSequence = cursor.sequence();
            if (FrameCursor.Verdict.ABSENT !=
                cursor.examine(behind, layout.segmentLength, FrameCursor.ANY_SEQUENCE))
            {
                return false;
            }
        }

        for (final long later : ordinals)
        {
            if (later > ordinal && (later > ordinal + 1 || hasBegun(later)))
            {
                return false;
            }
        }

        isCleanlyClosed = true;
        end = closeEnd;
        scanStart = closeEnd;
        return true;
    }

    private boolean hasBegun(final long ordinal) throws IOException
    {
        try (FrameCursor cursor = cursor(Block.LENGTH))
        {
            cursor.attach(open(ordinal));
            return FrameCursor.Verdict.ABSENT !=
                cursor.examine(SegmentHeader.LENGTH, layout.segmentLength, FrameCursor.ANY_SEQUENCE);
        }
    }

    /**
     * Reads frame by frame from the segment that holds the highest durable watermark known.
     */
    private void scan() throws IOException
    {
        final int first = firstToScan();
        scanStart = layout.position(ordinals.get(first), SegmentHeader.LENGTH);
        nextSequence = 0 == first ? meta.state.startSequence : FrameCursor.ANY_SEQUENCE;

        try (FrameCursor cursor = cursor(READ_LENGTH))
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
        try (FrameCursor cursor = cursor(Block.LENGTH))
        {
            for (int i = ordinals.size() - 1; i >= 0; i--)
            {
                cursor.attach(open(ordinals.get(i)));
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
     * @return whether the segment is complete, so that the scan continues in the next one.
     */
    private boolean scanSegment(final FrameCursor cursor, final long ordinal) throws IOException
    {
        cursor.attach(open(ordinal));
        int offset = SegmentHeader.LENGTH;
        while (offset < layout.segmentLength)
        {
            if (layout.position(ordinal, offset) >= cap)
            {
                end = cap;
                return false;
            }

            final FrameCursor.Verdict verdict = cursor.examine(offset, layout.segmentLength, nextSequence);
            if (FrameCursor.Verdict.UNEXPECTED == verdict)
            {
                throw new CorruptJournalException("frame out of sequence: " + cursor.describe(verdict, nextSequence));
            }

            if (FrameCursor.Verdict.VALID != verdict)
            {
                end = layout.position(ordinal, offset);
                endReason = cursor.describe(verdict, nextSequence);
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
                "damage to what was forced: " + (endReason.isEmpty() ? describeMissing() : endReason) +
                    ", durablePosition=" + durable + ", endPosition=" + end +
                    "; nothing was changed: keep the files and restore from a backup");
        }
    }

    /**
     * Whether the frame at the end was written after the end was found: then it is not corruption.
     */
    boolean isThereNow() throws IOException
    {
        final long place = layout.place(end);
        if (!store.list().contains(JournalFiles.segment(layout.ordinal(place))))
        {
            return false;
        }

        try (FrameCursor cursor = cursor(Block.LENGTH))
        {
            cursor.attach(open(layout.ordinal(place)));
            return FrameCursor.Verdict.VALID ==
                cursor.examine(layout.offset(place), layout.segmentLength, nextSequence);
        }
    }

    /**
     * Searches for watermark frames after the end, which prove that more was durable.
     */
    private void findLaterMarks() throws IOException
    {
        try (FrameCursor cursor = cursor(READ_LENGTH))
        {
            for (final long ordinal : ordinals)
            {
                if (ordinal < layout.ordinal(end))
                {
                    continue;
                }

                cursor.attach(open(ordinal));
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

    private FrameCursor cursor(final int length)
    {
        return new FrameCursor(Window.copying(Math.min(length, layout.segmentLength)));
    }

    private Segment open(final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.READ, !isFollowing, meta.uuid, ordinal, layout.segmentLength);
    }
}
