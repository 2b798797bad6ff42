// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.recover;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import io.journal.CorruptJournalException;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentSet;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentStore;
import org.jspecify.annotations.Nullable;

/**
 * Finds the end of a journal, and distinguishes corruption from a torn tail. Changes nothing. Normative text:
 * {@code docs/format.md}, "Opening".
 */
public final class Scan
{
    static final int READ_LENGTH = 256 * 1024;
    // The distance of watermark frames while records are made durable.
    private static final int CLOSE_SEARCH_LENGTH = 64 * 1024;
    private static final String ADVICE = "; nothing was changed: keep the files and restore from a backup";

    /** Ordinals of the segments from the start of the log on, ascending. */
    final List<Long> ordinals;
    final boolean isCleanlyClosed;
    /** Position at which reading began. */
    long start;
    /** Position where the log ends, and the sequence of the next record. */
    public final long end;
    public final long nextSequence;
    /** Term of the last record. */
    final long lastTerm;
    /** Description of the bytes at the end. */
    final String endReason;
    /** The highest durable watermark that was found. */
    final long durable;

    private final SegmentStore store;
    private final ControlContent control;
    private final History history;
    private final Layout layout;
    private final boolean forWriting;

    /**
     * Scans a journal.
     *
     * @param all        ordinals of the segments that are there, ascending, listed after the state was read.
     * @param forWriting whether an opening will change the journal; if not, a writer may be appending.
     * @throws CorruptJournalException if durable bytes are damaged or missing, or a file is an older copy.
     */
    public Scan(
        final SegmentStore store, final ControlContent control, final List<Long> all, final boolean forWriting)
        throws IOException
    {
        this.store = store;
        this.control = control;
        this.forWriting = forWriting;
        history = control.state().history;
        layout = new Layout(control.segmentLength());
        ordinals = SegmentSet.from(all, layout.ordinal(history.startPosition));
        SegmentSet.checkComplete(ordinals, history, layout.segmentLength);

        final ControlState.End closedAt = control.state().closedAt;
        isCleanlyClosed = null != closedAt && !control.isForceUnfinished() && !control.isChangeUnfinished();
        try (FrameWalk walk = new FrameWalk(this::open, layout, window(READ_LENGTH)))
        {
            final long known = knownDurable(closedAt);
            begin(walk, known);
            FrameWalk.Stop stop = walk.next(Long.MAX_VALUE);
            while (FrameWalk.Stop.RECORD == stop)
            {
                walk.pass();
                stop = walk.next(Long.MAX_VALUE);
            }
            if (walk.isOutOfSequence())
            {
                throw corrupt("frame out of sequence", walk.found(), walk, walk.durable());
            }

            end = walk.position();
            nextSequence = walk.nextSequence();
            lastTerm = walk.lastTerm();
            endReason = walk.found();
            durable = Math.max(Math.max(known, walk.durable()), laterDurable(end));
            checkEnd(walk, closedAt);
        }
    }

    private Segment open(final long ordinal) throws IOException
    {
        return ordinals.contains(ordinal) ? Segment.open(
            store, SegmentStore.Access.READ, forWriting, control.uuid(), ordinal, layout.segmentLength) : null;
    }

    private Window window(final int length)
    {
        return Window.copying(store, Math.min(length, layout.segmentLength));
    }

    /** The highest position that is known to be durable without a scan. */
    private long knownDurable(final ControlState.End closedAt) throws IOException
    {
        // The state names a term once everything before is durable.
        long known = Math.max(history.firstPosition(), history.newest().to());
        known = Math.max(known, control.durablePosition());
        if (isCleanlyClosed)
        {
            return Math.max(known, closedAt.position());
        }

        try (FrameCursor cursor = new FrameCursor(window(Block.LENGTH)))
        {
            for (int i = ordinals.size() - 1; i >= 0 && layout.position(ordinals.get(i), 0) > known; i--)
            {
                cursor.attach(open(ordinals.get(i)));
                final FrameCursor.Verdict verdict = cursor.examine(
                    SegmentHeader.LENGTH, layout.segmentLength, FrameCursor.ANY_SEQUENCE);
                if (cursor.isMark(verdict) && history.term == cursor.markTerm())
                {
                    return Math.max(known, cursor.forcedPosition());
                }
            }
        }
        return known;
    }

    /**
     * Begins at the start of the part of the log that leads to a durable position in its segment; if a writer closed
     * the journal there, at a watermark frame shortly before.
     */
    private void begin(final FrameWalk walk, final long known) throws IOException
    {
        // The end of a segment is the start of the next one, which may be absent. Durable records may be absent, too:
        // the walk then finds out where.
        final long base = layout.position(
            Math.min(layout.ordinal(Math.max(0, known - SegmentHeader.LENGTH - 1)), ordinals.get(ordinals.size() - 1)),
            0);
        final Cut cut = history.newest().to() <= known ? history.newest() : history.cutBefore(known);
        final long first = Math.max(base + SegmentHeader.LENGTH, history.firstPosition());
        if (null != cut && cut.to() >= first)
        {
            start = cut.to();
            walk.start(history, start, cut.sequence());
            return;
        }

        start = first;
        if (isCleanlyClosed && known - first > CLOSE_SEARCH_LENGTH)
        {
            try (FrameCursor cursor = new FrameCursor(window(CLOSE_SEARCH_LENGTH)))
            {
                cursor.attach(open(layout.ordinal(base)));
                final int limit = (int)Math.min(layout.segmentLength, known - base);
                final int mark = FrameSearch.watermark(cursor, limit - CLOSE_SEARCH_LENGTH, limit);
                start = mark < 0 ? start : base + mark;
            }
        }
        walk.start(history, start, FrameCursor.ANY_SEQUENCE);
    }

    /** Searches for watermark frames after the end, which prove that more was durable, or that the state is older. */
    private long laterDurable(final long position) throws IOException
    {
        long found = 0;
        try (FrameCursor cursor = new FrameCursor(window(READ_LENGTH)))
        {
            for (final long ordinal : ordinals)
            {
                if (ordinal < layout.ordinal(position))
                {
                    continue;
                }

                cursor.attach(open(ordinal));
                int offset = ordinal == layout.ordinal(position) ? layout.offset(position) : SegmentHeader.LENGTH;
                // A later writer's first watermark frame was durable, at the end, before anything could follow it.
                final int limit = isCleanlyClosed ? Math.min(layout.segmentLength, offset + CLOSE_SEARCH_LENGTH) :
                    layout.segmentLength;
                while ((offset = FrameSearch.watermark(cursor, offset, limit)) >= 0)
                {
                    // A writer that lost its lock is fenced before it can write a frame of a later term.
                    if (cursor.markNumber() > history.number ||
                        cursor.markNumber() == history.number && cursor.markTerm() != history.term)
                    {
                        throw new CorruptJournalException(
                            "frames of a later term than the state's: file=" + cursor.segment().name() + ", offset=" +
                                offset + ", sequence=" + cursor.sequence() + ", expected=term " + history.number +
                                " (" + history.term + ") or an earlier one, found=term " + cursor.markNumber() + " (" +
                                cursor.markTerm() + "); " + JournalFiles.CONTROL + " may be an older copy" + ADVICE +
                                ", or rebuild it with \"journal repair\"",
                            null, cursor.segment().name(), offset, cursor.sequence());
                    }
                    found = history.term == cursor.markTerm() ? Math.max(found, cursor.forcedPosition()) : found;
                    offset += FrameHeader.MARK_LENGTH;
                }
            }
        }
        return found;
    }

    private void checkEnd(final FrameWalk walk, final ControlState.End closedAt) throws IOException
    {
        final String wrong = wrongEnd(closedAt);
        if (null != wrong && (forWriting || !isThereNow()))
        {
            throw corrupt(wrong, endReason, walk, durable);
        }
        // The watermark may have a lower sequence: see DurableEnd.forceAppended.
        final ControlState.End watermark = control.watermark();
        if (null != watermark && layout.place(watermark.position()) == end && watermark.nextSequence() > nextSequence)
        {
            throw corrupt(
                "the durable watermark has a later sequence: expected=" + watermark.nextSequence(), endReason, walk,
                durable);
        }
    }

    /** What shows that durable records follow the end; null if nothing does. */
    private @Nullable String wrongEnd(final ControlState.@Nullable End closedAt)
    {
        if (layout.place(durable) > end || isCleanlyClosed &&
            (layout.place(closedAt.position()) != end || closedAt.nextSequence() != nextSequence))
        {
            return "corruption below the durable watermark";
        }
        if (nextSequence < history.startSequence)
        {
            return "the log ends before its first record: firstSequence=" + history.startSequence;
        }
        for (final Map.Entry<String, ControlState.Saved> cursor : control.state().cursors().entrySet())
        {
            if (cursor.getValue().sequence() >= nextSequence)
            {
                return "a record is missing that was durable when a cursor was saved: cursor=" + cursor.getKey() +
                    ", cursorSequence=" + cursor.getValue().sequence();
            }
        }
        return null;
    }

    private CorruptJournalException corrupt(
        final String what, final String reason, final FrameWalk walk, final long durablePosition)
    {
        return new CorruptJournalException(
            what + ": " + reason + ", durablePosition=" + durablePosition + ", endPosition=" + walk.position() + ADVICE,
            null, JournalFiles.segment(layout.ordinal(walk.position())), layout.offset(walk.position()),
            walk.nextSequence());
    }

    /** Whether the frame at the end was written after the end was found: then it is not corruption. */
    private boolean isThereNow() throws IOException
    {
        if (!store.list().contains(JournalFiles.segment(layout.ordinal(end))))
        {
            return false;
        }

        try (FrameCursor cursor = new FrameCursor(window(Block.LENGTH)))
        {
            cursor.attach(Segment.open(
                store, SegmentStore.Access.READ, forWriting, control.uuid(), layout.ordinal(end),
                layout.segmentLength));
            return FrameCursor.Verdict.VALID ==
                cursor.examineBatch(layout.offset(end), layout.segmentLength, nextSequence);
        }
    }
}
