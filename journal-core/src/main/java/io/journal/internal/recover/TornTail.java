// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.recover;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;
import java.util.zip.CRC32C;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The bytes after the end of a journal that are no part of it, and where appending may continue after them. Normative
 * text: {@code docs/format.md}, "Opening".
 *
 * @param length number of bytes, up to the last byte that is not zero, in all segments.
 * @param end    position of the first place after them; the journal's end if there are none.
 */
record TornTail(long length, long end)
{
    private static final int ZERO_LENGTH = 64 * 1024;

    /**
     * Finds the torn tail.
     *
     * @param ordinals     of the segments, ascending.
     * @param position     of the journal's end.
     * @param nextSequence of the record that is missing there.
     */
    static TornTail find(
        final SegmentStore store, final UUID uuid, final Layout layout, final List<Long> ordinals, final long position,
        final long nextSequence) throws IOException
    {
        final int limit = layout.segmentLength;
        long length = 0;
        long end = position;
        try (FrameCursor cursor = new FrameCursor(Window.copying(store, Math.min(Scan.READ_LENGTH, limit))))
        {
            for (final long ordinal : ordinals)
            {
                if (ordinal >= layout.ordinal(position))
                {
                    cursor.attach(
                        Segment.open(store, SegmentStore.Access.READ, true, uuid, ordinal, layout.segmentLength));
                    final int from =
                        ordinal == layout.ordinal(position) ? layout.offset(position) : SegmentHeader.LENGTH;
                    final int to = cursor.segment().isRecycled ?
                        FrameSearch.framesEnd(cursor, from, limit, nextSequence) :
                        FrameSearch.contentEnd(cursor, from, limit);
                    length += to - from;
                    end = to > from ? placeBehind(layout, layout.position(ordinal, FrameHeader.align(to))) : end;
                }
            }
        }

        return new TornTail(length, end);
    }

    /** A place with room for the watermark frame that begins a term. */
    static long placeBehind(final Layout layout, final long position)
    {
        final long place = layout.place(position);
        final int offset = layout.offset(place);
        return layout.segmentLength - offset < FrameHeader.MARK_LENGTH ?
            layout.place(place - offset + layout.segmentLength) : place;
    }

    /** Leads to the next segment, if the rest of this segment has no room to begin a term. Durable on return. */
    static void pad(
        final SegmentStore store, final UUID uuid, final Layout layout, final long position, final long nextSequence)
        throws IOException
    {
        final int offset = layout.offset(position);
        final ByteBuffer frame = ByteBuffer.allocate(FrameHeader.MARK_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        try (Segment segment = Segment.open(
            store, SegmentStore.Access.WRITE, true, uuid, layout.ordinal(position), layout.segmentLength))
        {
            FrameHeader.begin(frame, 0, nextSequence, FrameHeader.PADDING);
            FrameHeader.complete(
                frame, frame.duplicate(), new CRC32C(), 0, offset, offset - layout.segmentLength, FrameHeader.PADDING,
                segment.salt);
            segment.file.write(offset, frame.limit(FrameHeader.LENGTH));
            segment.file.force(offset, layout.segmentLength);
        }
    }

    /** Overwrites the torn tail with zeros, if the state has no room to record it as cut. Durable on return. */
    void zero(final SegmentStore store, final Layout layout, final List<Long> ordinals, final long position)
        throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocate(ZERO_LENGTH);
        for (final long ordinal : ordinals)
        {
            final long base = layout.position(ordinal, 0);
            final int from = (int)Math.max(SegmentHeader.LENGTH, position - base);
            final int to = (int)Math.min(layout.segmentLength, end - base);
            if (from < to)
            {
                try (SegmentFile file = store.open(JournalFiles.segment(ordinal), SegmentStore.Access.WRITE))
                {
                    for (int offset = from; offset < to; offset += ZERO_LENGTH)
                    {
                        file.write(offset, zeros.clear().limit(Math.min(ZERO_LENGTH, to - offset)));
                    }
                    file.force(from, to);
                }
            }
        }
    }
}
