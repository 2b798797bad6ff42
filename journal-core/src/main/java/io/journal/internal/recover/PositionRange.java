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
 * The bytes between two positions, in the files of some segments.
 */
public record PositionRange(SegmentStore store, Layout layout, List<Long> ordinals, long from, long end)
{
    /** Action on the part that is in one segment. */
    private interface Action
    {
        void run(SegmentFile file, int offset, int length) throws IOException;
    }

    /**
     * Rewrites the bytes, because after a failed fsync the page cache may hold clean pages that are not durable, which
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

    /** Overwrites the bytes with zeros. Durable on return. */
    void zero() throws IOException
    {
        each((file, offset, length) ->
        {
            final ByteBuffer zeros = ByteBuffer.allocate(Math.min(length, Scan.READ_LENGTH));
            for (int done = 0; done < length; done += zeros.capacity())
            {
                file.write(offset + done, zeros.clear().limit(Math.min(zeros.capacity(), length - done)));
            }
            file.force(offset, offset + length);
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
