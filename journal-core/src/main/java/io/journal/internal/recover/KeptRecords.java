package io.journal.internal.recover;

import java.io.IOException;
import java.util.List;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The records that recovery keeps, from the durable watermark to the end of the journal: makes them durable.
 */
final class KeptRecords
{
    private final Segments segments;
    private final List<Long> ordinals;
    private final long from;
    private final long end;

    KeptRecords(final Segments segments, final List<Long> ordinals, final long from, final long end)
    {
        this.segments = segments;
        this.ordinals = ordinals;
        this.from = from;
        this.end = end;
    }

    /** What is done to the range of one segment that holds some of the records. */
    private interface Action
    {
        void run(SegmentFile file, int offset, int length) throws IOException;
    }

    /**
     * Rewrites them: after a failed fsync the page cache may hold bytes that are not durable, and would not write them.
     *
     * @return whether there are any.
     */
    boolean rewrite() throws IOException
    {
        return each((file, offset, length) -> segments.copy(file, offset, file, offset, length));
    }

    void force() throws IOException
    {
        each((file, offset, length) ->
        {
            if (SegmentStore.Memory.MAPPED == segments.store.memory())
            {
                // So that only the range is fsynced, and not the zeros behind it.
                file.map();
            }
            file.force(offset, Math.min(segments.layout.segmentLength, offset + length + FrameHeader.ALIGNMENT));
        });
    }

    private boolean each(final Action action) throws IOException
    {
        boolean isAny = false;
        for (final long ordinal : ordinals)
        {
            final long base = segments.layout.position(ordinal, 0);
            final long start = Math.max(base + SegmentHeader.LENGTH, from);
            final long stop = Math.min(base + segments.layout.segmentLength, end);
            if (start < stop)
            {
                isAny = true;
                try (SegmentFile file =
                    segments.store.open(JournalFiles.segment(ordinal), SegmentStore.Access.WRITE))
                {
                    action.run(file, (int)(start - base), (int)(stop - start));
                }
            }
        }

        return isAny;
    }
}
