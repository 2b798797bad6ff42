package io.journal.internal.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

import io.journal.internal.files.CursorFiles;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.format.Layout;
import io.journal.internal.segment.Term;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Truncates a journal: removes its newest records. A truncation that a crash interrupts at any step is completed by the
 * next opening. Normative text: {@code docs/format.md}, "Truncation".
 */
public final class Truncation
{
    private static final int ZERO_LENGTH = 64 * 1024;
    private static final long UNKNOWN_SEQUENCE = 0;

    private Truncation()
    {
    }

    /**
     * Truncates the journal and returns its new state. Segments must not be in use, nor cursors be saved meanwhile. On
     * return the mark file still records a force in progress; the caller must record its return once everything is
     * fsynced.
     *
     * @param ordinals       of all segments, ascending; the ordinals of deleted segments are removed from the list.
     * @param forcedPosition current durable watermark.
     */
    public static JournalMeta cut(
        final SegmentStore store,
        final JournalMeta meta,
        final MarkFile markFile,
        final List<Long> ordinals,
        final JournalMeta.Cut cut,
        final long forcedPosition,
        final CursorFiles cursors) throws IOException
    {
        return carryOut(store, begin(store, meta, markFile, cut), markFile, ordinals, forcedPosition, cursors);
    }

    /**
     * Records the truncation intent, durably, and returns the journal's state with it. Must be followed by
     * {@link #carryOut}.
     */
    public static JournalMeta begin(
        final SegmentStore store, final JournalMeta meta, final MarkFile markFile, final JournalMeta.Cut cut)
        throws IOException
    {
        // If the fsync of the new state fails, the next opening must not trust the state in the page cache.
        markFile.forceBegins();
        try (SegmentFile file = JournalMeta.open(store))
        {
            // Once the intent is there, the next opening carries it out, even if another writer has appended since.
            markFile.checkOwned();
            return meta.with(file, meta.state.cutting(cut));
        }
    }

    /**
     * Carries out a truncation intent that was found, from its first step.
     */
    static JournalMeta finish(
        final SegmentStore store,
        final JournalMeta meta,
        final MarkFile markFile,
        final List<Long> ordinals,
        final long forcedPosition,
        final CursorFiles cursors) throws IOException
    {
        // The process that deleted the segments may have been killed before its fsync.
        store.force();
        return carryOut(store, meta, markFile, ordinals, forcedPosition, cursors);
    }

    /**
     * Carries out a truncation intent. Further as {@link #cut}.
     */
    public static JournalMeta carryOut(
        final SegmentStore store,
        final JournalMeta meta,
        final MarkFile markFile,
        final List<Long> ordinals,
        final long forcedPosition,
        final CursorFiles cursors) throws IOException
    {
        final JournalMeta.Cut cut = meta.state.pending;
        final Layout layout = new Layout(meta.segmentLength);
        final long lastOrdinal = layout.ordinal(cut.position);

        markFile.forceBegins();
        markFile.forced(meta.state.epoch, Math.min(forcedPosition, cut.position), UNKNOWN_SEQUENCE);
        // Each step takes a while: another writer may have opened the journal meanwhile, and these may be its bytes.
        unlinkAbove(store, markFile, ordinals, lastOrdinal);
        zero(store, markFile, layout, cut);
        markFile.checkOwned();
        final long term = Term.before(new Segments(store, meta, true)::open, meta, cut.position, cut.sequence);
        cursors.lower(meta.state.epoch, cut.sequence - 1, term);
        markFile.checkOwned();

        return meta.withoutIntent(store);
    }

    private static void unlinkAbove(
        final SegmentStore store, final MarkFile markFile, final List<Long> ordinals, final long lastOrdinal)
        throws IOException
    {
        boolean isAny = false;
        for (int i = ordinals.size() - 1; i >= 0 && ordinals.get(i) > lastOrdinal; i--)
        {
            markFile.checkOwned();
            store.delete(JournalFiles.segment(ordinals.remove(i)));
            isAny = true;
        }
        if (isAny)
        {
            store.force();
        }
    }

    private static void zero(
        final SegmentStore store, final MarkFile markFile, final Layout layout, final JournalMeta.Cut cut)
        throws IOException
    {
        final long ordinal = layout.ordinal(cut.position);
        final int from = layout.offset(cut.position);
        final int to = (int)(cut.zeroEnd - layout.position(ordinal, 0));
        final ByteBuffer zeros = ByteBuffer.allocate(ZERO_LENGTH);
        try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.WRITE))
        {
            for (int offset = from; offset < to; offset += ZERO_LENGTH)
            {
                markFile.checkOwned();
                file.write(offset, zeros.clear().limit(Math.min(ZERO_LENGTH, to - offset)));
            }
            file.force(from, to);
        }
    }
}
