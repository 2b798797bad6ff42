// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.nio.ByteBuffer;

import io.journal.RecordHandler;
import io.journal.internal.buffer.ByteBufferView;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.segment.FrameCursor;

/**
 * The record that is passed to a handler, in the memory of the reader's cursor. Handlers get this object as the header,
 * and its view; both are the same for each record. For one thread at a time.
 */
final class FoundRecord implements RecordHandler.Header
{
    private static final byte[] NOTHING = {};

    private final FrameCursor cursor;
    private final ByteBufferView view = new ByteBufferView();
    private long sequence;
    private long tag;
    private long position;
    private int index;
    private int length;

    FoundRecord(final FrameCursor cursor)
    {
        this.cursor = cursor;
    }

    @Override
    public long sequence()
    {
        return sequence;
    }

    @Override
    public long tag()
    {
        return tag;
    }

    @Override
    public long position()
    {
        return position;
    }

    int length()
    {
        return length;
    }

    /** The record alone, until {@link #hide()}. */
    ByteBufferView view()
    {
        view.wrap(cursor.buffer(), index, length);
        return view;
    }

    /** Empties the view, because a handler may keep it beyond the call, when its memory may have been released. */
    void hide()
    {
        view.wrap(view, 0, 0);
    }

    /** Also releases the memory, to which a hidden view still refers. Wrapping it again costs an allocation. */
    void release()
    {
        view.wrap(NOTHING);
    }

    /**
     * Takes a record that the cursor has loaded and found valid.
     *
     * @return aligned length of its frame.
     */
    int take(final int offset, final long sequence, final long position)
    {
        final ByteBuffer buffer = cursor.buffer();
        final int frame = cursor.indexOf(offset);
        this.sequence = sequence;
        this.position = position;
        tag = FrameHeader.tag(buffer, frame);
        index = frame + FrameHeader.LENGTH;
        length = FrameHeader.length(FrameHeader.storedLength(buffer, frame)) - FrameHeader.LENGTH;
        return FrameHeader.alignedLength(length);
    }
}
