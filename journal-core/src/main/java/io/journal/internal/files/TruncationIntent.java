package io.journal.internal.files;

import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;

/**
 * Checks that a truncation intent in {@code journal.meta} can be what a writer meant, with the segments that are there
 * and the durable watermark of that state.
 */
public final class TruncationIntent
{
    private TruncationIntent()
    {
    }

    /** Throws if the truncation intent, if there is one, is impossible. */
    public static void check(final JournalMeta meta, final List<Long> ordinals, final long forcedPosition)
    {
        final String fault = fault(meta, ordinals, forcedPosition);
        if (null != fault)
        {
            throw new CorruptJournalException(
                "impossible truncation: file=" + JournalFiles.META + ", " + fault + "; restore the file from a backup");
        }
    }

    /** What makes the truncation intent impossible, or null. */
    public static String fault(final JournalMeta meta, final List<Long> ordinals, final long forcedPosition)
    {
        final JournalMeta.Cut cut = meta.state.pending;
        if (null == cut)
        {
            return null;
        }

        final Layout layout = new Layout(meta.segmentLength);
        final boolean isPossible = cut.position >= meta.state.startPosition + SegmentHeader.LENGTH &&
            cut.position < Layout.MAX_POSITION && 0 == (cut.position & (FrameHeader.ALIGNMENT - 1)) &&
            layout.offset(cut.position) >= SegmentHeader.LENGTH &&
            ordinals.contains(layout.ordinal(cut.position)) && cut.sequence >= meta.state.startSequence &&
            cut.zeroEnd >= cut.position && cut.zeroEnd <= layout.position(layout.ordinal(cut.position) + 1, 0) &&
            // Had the truncation been complete, and something appended since, the intent would be gone.
            forcedPosition <= cut.position;
        return isPossible ? null : "position=" + cut.position + ", sequence=" + cut.sequence + ", zeroEnd=" +
            cut.zeroEnd + ", forcedPosition=" + forcedPosition;
    }
}
