package io.journal.internal.read;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.CorruptJournalException;
import io.journal.RecordHandler;
import io.journal.internal.buffer.ByteBufferView;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.segment.FrameCursor;

/**
 * The record that a {@link RecordWalk} has found: a frame of its own, or an entry of a batch. Its memory is that of the
 * frame which the walk's cursor shows. Handlers are given this object, as the header, and its view, the same for each
 * record. For one thread at a time.
 */
public final class FoundRecord implements RecordHandler.Header
{
    private static final int CAPACITY = 4 * 1024;
    private static final byte[] NOTHING = {};

    private final FrameCursor cursor;
    private final ByteBufferView view = new ByteBufferView();
    private long sequence;
    private long tag;
    private long position;
    private int index;
    private int length;

    // Offsets of a batch's entries, by number modulo the capacity: an entry gives the offset of the next one only.
    private int[] entryOffsets;
    private long batchSequence = FrameCursor.ANY_SEQUENCE;
    private int entryCount;
    private int nextEntryOffset;

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

    /**
     * Shows the frame of a batch, as {@link #show} does. Loads nothing behind it, which may not be written yet, and
     * would not be read again.
     */
    static void showBatch(final FrameCursor cursor, final int offset, final long expectedSequence) throws IOException
    {
        final long next = cursor.peek(offset, offset + FrameHeader.BATCH_ENTRIES_OFFSET, expectedSequence);
        show(cursor, offset, next < 0 ? cursor.segment().length : cursor.nextOffset(), expectedSequence);
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

    /** A handler that keeps the view beyond the call finds it empty: its memory may have been released by then. */
    void hide()
    {
        view.wrap(view, 0, 0);
    }

    /** Releases the memory as well, which a hidden view still refers to: to wrap it again costs an allocation. */
    void release()
    {
        view.wrap(NOTHING);
    }

    /** Takes a record of the frame that the cursor shows. */
    void take(final long sequence, final long position)
    {
        if (!cursor.isControl())
        {
            takeFrame(sequence, position);
            return;
        }

        final int entry = cursor.index() + entryOffset((int)(sequence - cursor.sequence()));
        this.sequence = sequence;
        this.position = position;
        tag = cursor.buffer().getLong(entry + Long.BYTES);
        index = entry + FrameHeader.BATCH_ENTRY_HEADER_LENGTH;
        length = cursor.buffer().getInt(entry);
    }

    /** Takes the record whose frame the cursor shows. */
    void takeFrame(final long sequence, final long position)
    {
        this.sequence = sequence;
        this.position = position;
        tag = cursor.tag();
        index = cursor.index() + FrameHeader.LENGTH;
        length = cursor.storedLength() - FrameHeader.LENGTH;
    }

    /**
     * Forgets the batch: its bytes may change.
     */
    void forget()
    {
        batchSequence = FrameCursor.ANY_SEQUENCE;
    }

    private int entryOffset(final int number)
    {
        if (batchSequence != cursor.sequence() || number < entryCount - CAPACITY)
        {
            if (null == entryOffsets)
            {
                entryOffsets = new int[CAPACITY];
            }
            batchSequence = cursor.sequence();
            entryCount = 0;
            nextEntryOffset = FrameHeader.BATCH_ENTRIES_OFFSET;
        }
        while (entryCount <= number)
        {
            entryOffsets[entryCount & (CAPACITY - 1)] = nextEntryOffset;
            final int length = cursor.buffer().getInt(cursor.index() + nextEntryOffset);
            nextEntryOffset += FrameHeader.align(FrameHeader.BATCH_ENTRY_HEADER_LENGTH + length);
            entryCount++;
        }

        return entryOffsets[number & (CAPACITY - 1)];
    }
}
