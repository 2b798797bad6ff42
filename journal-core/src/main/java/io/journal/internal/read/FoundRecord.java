// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.CorruptJournalException;
import io.journal.RecordHandler;
import io.journal.internal.buffer.ByteBufferView;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.segment.FrameCursor;

/**
 * The record that a {@link RecordWalk} has found. Its memory is the frame that the walk's cursor shows. Handlers get
 * this object as the header, and its view; both are the same for each record. For one thread at a time.
 */
public final class FoundRecord implements RecordHandler.Header
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

    /**
     * Shows a frame.
     *
     * @throws CorruptJournalException if it is not valid.
     */
    static void show(final FrameCursor cursor, final int offset, final int limit, final long expectedSequence)
        throws IOException
    {
        final FrameCursor.Verdict verdict = cursor.examine(offset, limit, expectedSequence);
        if (FrameCursor.Verdict.VALID != verdict)
        {
            throw cursor.corrupt("damaged record", verdict, expectedSequence, "; restore the file from a backup");
        }
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

    public ByteBuffer buffer()
    {
        return cursor.buffer();
    }

    public int index()
    {
        return index;
    }

    public int length()
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

    /** Takes the record whose frame the cursor shows. */
    void take(final long sequence, final long position)
    {
        this.sequence = sequence;
        this.position = position;
        tag = cursor.tag();
        index = cursor.index() + FrameHeader.LENGTH;
        length = cursor.length() - FrameHeader.LENGTH;
    }

    /**
     * Takes a record that the cursor has found valid, but does not show.
     *
     * @return aligned length of its frame.
     */
    int takeValid(final int offset, final long sequence, final long position)
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
