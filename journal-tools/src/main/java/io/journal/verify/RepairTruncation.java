package io.journal.verify;

import java.io.IOException;
import java.util.List;

import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentSet;
import io.journal.internal.segment.Term;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentStore;

/**
 * A truncation by repair. Normative text: {@code docs/format.md}, "Repair". If it is interrupted, opening refuses the
 * journal until it is repeated, or has nothing left to do.
 */
final class RepairTruncation
{
    private static final int WINDOW_LENGTH = 1024 * 1024;

    private final SegmentStore store;
    private final Quarantine quarantine;
    private final JournalMeta meta;

    RepairTruncation(final SegmentStore store, final Quarantine quarantine, final JournalMeta meta)
    {
        this.store = store;
        this.quarantine = quarantine;
        this.meta = meta;
    }

    void run(final long position, final long nextSequence) throws IOException
    {
        final Layout layout = new Layout(meta.segmentLength);
        final long ordinal = layout.ordinal(position);
        final int offset = layout.offset(position);
        if (offset < SegmentHeader.LENGTH)
        {
            truncateBefore(ordinal, nextSequence);
        }
        else
        {
            truncateWithin(ordinal, offset, nextSequence);
        }
        // Not earlier: its durable watermark covers what is truncated; without it, that could be mistaken for a torn
        // tail.
        if (store.list().contains(JournalFiles.MARK))
        {
            quarantine.move(JournalFiles.MARK);
        }
    }

    /**
     * Truncates before a segment that is unreadable or missing. It is moved first: as long as a later one is there, the
     * gap makes opening refuse the journal. If it is the last one, it stays until the state has recorded the
     * truncation, which makes any durable watermark one of another epoch: opening reads the last segment.
     */
    private void truncateBefore(final long ordinal, final long nextSequence) throws IOException
    {
        final long position = meta.segmentLength * ordinal + SegmentHeader.LENGTH;
        final CursorFiles cursors = CursorFiles.read(store, meta.uuid);
        quarantine.fence();
        final List<Long> ordinals = SegmentSet.ordinalsFrom(store, ordinal);
        if (ordinals.size() > 1 && ordinals.get(0) == ordinal)
        {
            quarantine.move(JournalFiles.segment(ordinal));
        }
        cursors.lower(meta.state.epoch + 1, nextSequence - 1, termBefore(position, nextSequence));
        final JournalMeta truncated =
            meta.with(store, meta.state.afterCut(new JournalMeta.Cut(position, nextSequence, position)));
        // Written to the other slot as well: otherwise later damage to this one would bring the previous epoch back.
        final JournalMeta both = truncated.with(store, truncated.state.again());
        assert null == both.state.pending : "an intent: position=" + position;
        moveFrom(ordinal);
    }

    private void truncateWithin(final long ordinal, final int offset, final long nextSequence) throws IOException
    {
        final long base = meta.segmentLength * ordinal;
        final long position = base + offset;
        final int contentEnd = contentEnd(ordinal, offset);
        // Copied first: what takes space may fail.
        if (contentEnd > offset)
        {
            quarantine.copy(
                JournalFiles.segment(ordinal), offset, contentEnd,
                JournalFiles.quarantinedByRepair(position, meta.state.epoch));
        }
        quarantine.fence();
        moveFrom(ordinal + 1);
        final JournalMeta truncating =
            meta.with(store, meta.state.cutting(new JournalMeta.Cut(position, nextSequence, base + contentEnd)));
        assert null != truncating.state.pending : "no intent: position=" + position;
    }

    private long termBefore(final long position, final long nextSequence) throws IOException
    {
        return Term.before(
            (ordinal) -> Segment.open(
                store, SegmentStore.Access.READ, true, meta.uuid, ordinal, meta.segmentLength),
            meta, position, nextSequence);
    }

    /** Offset after the last non-zero byte, at least {@code offset}. */
    private int contentEnd(final long ordinal, final int offset) throws IOException
    {
        try (FrameCursor cursor = new FrameCursor(Window.copying(Math.min(WINDOW_LENGTH, meta.segmentLength))))
        {
            cursor.attach(Segment.open(
                store, SegmentStore.Access.READ, true, meta.uuid, ordinal, meta.segmentLength));
            return FrameSearch.contentEnd(cursor, offset, meta.segmentLength);
        }
    }

    /**
     * Moves segments, the lowest first: the gap makes opening refuse the journal until all are moved. Without it,
     * opening might find that all is well up to the end of those that are left.
     */
    private void moveFrom(final long first) throws IOException
    {
        for (final long ordinal : SegmentSet.ordinalsFrom(store, first))
        {
            quarantine.move(JournalFiles.segment(ordinal));
        }
    }
}
