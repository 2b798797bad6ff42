// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * Makes durable the records that recovery keeps, from the durable watermark to the end of the journal.
 */
public final class KeptRecords
{
    private final SegmentStore store;
    private final Layout layout;
    private final List<Long> ordinals;
    private final long from;
    private final long end;

    public KeptRecords(
        final SegmentStore store, final Layout layout, final List<Long> ordinals, final long from, final long end)
    {
        this.store = store;
        this.layout = layout;
        this.ordinals = ordinals;
        this.from = from;
        this.end = end;
    }

    /** Action on the range of one segment that holds some of the records. */
    private interface Action
    {
        void run(SegmentFile file, int offset, int length) throws IOException;
    }

    /**
     * Rewrites them, because after a failed fsync the page cache may hold clean pages that are not durable, which
     * another fsync would skip.
     *
     * @return whether there are any.
     */
    public boolean rewrite() throws IOException
    {
        return each((file, offset, length) ->
        {
            final ByteBuffer buffer = Window.copying(store, Math.min(length, Scan.READ_LENGTH)).buffer();
            for (int done = 0; done < length; done += buffer.capacity())
            {
                buffer.clear().limit(Math.min(buffer.capacity(), length - done));
                file.read(offset + done, buffer);
                file.write(offset + done, buffer.flip());
            }
        });
    }

    public void force() throws IOException
    {
        each((file, offset, length) ->
        {
            if (SegmentStore.Memory.MAPPED == store.memory())
            {
                // Mapped, so that only the range is fsynced, and not the zeros after it.
                file.map();
            }
            file.force(offset, Math.min(layout.segmentLength, offset + length + FrameHeader.ALIGNMENT));
        });
    }

    private boolean each(final Action action) throws IOException
    {
        boolean isAny = false;
        for (final long ordinal : ordinals)
        {
            final long base = layout.position(ordinal, 0);
            final long start = Math.max(base + SegmentHeader.LENGTH, from);
            final long stop = Math.min(base + layout.segmentLength, end);
            if (start < stop)
            {
                isAny = true;
                try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.WRITE))
                {
                    action.run(file, (int)(start - base), (int)(stop - start));
                }
            }
        }

        return isAny;
    }
}
