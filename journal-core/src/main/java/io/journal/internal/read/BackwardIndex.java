package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FrameSearch;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;

/**
 * Offsets of the records in a range of a segment, for reading it backwards: a frame gives the offset of the next frame,
 * not of the previous one.
 * <p>
 * A range extends from a watermark frame to a position, usually less than 128 KiB behind it, so that each byte is read
 * a small, constant number of times. Memory is bounded: if a range has more records, the index contains the last ones.
 */
final class BackwardIndex
{
    private static final int CAPACITY = 8 * 1024;
    private static final int STRETCH_LENGTH = 64 * 1024;
    private static final int COVER_LENGTH = 48 * 1024;

    private final FrameCursor cursor;
    // By sequence modulo the capacity: offset of the frame, and of the entry in it or 0 if the frame is the record.
    private final int[] frameOffsets = new int[CAPACITY];
    private final int[] entryOffsets = new int[CAPACITY];

    // What is indexed: the sequences [first, end) of one segment in one state.
    private JournalMeta.State state;
    private long ordinal;
    private long firstSequence;
    private long endSequence;

    private int frameOffset;
    private int entryOffset;
    private int recordIndex;
    private int recordLength;
    private long recordTag;

    BackwardIndex(final FrameCursor cursor)
    {
        this.cursor = cursor;
    }

    /**
     * Finds the record before a position in the segment that the cursor shows.
     *
     * @param offset       of the position.
     * @param batchIndex   number of records before the position in the batch there.
     * @param nextSequence of the record behind the position.
     * @param limit        offset up to which the segment may be read.
     * @return false if the segment has no such record.
     */
    boolean find(
        final JournalMeta.State state,
        final long ordinal,
        final int offset,
        final int batchIndex,
        final long nextSequence,
        final int limit) throws IOException
    {
        final long sequence = nextSequence - 1;
        if (this.state != state || this.ordinal != ordinal || sequence < firstSequence || sequence >= endSequence)
        {
            endSequence = 0;
            fill(offset, batchIndex, nextSequence, limit);
            this.state = state;
            this.ordinal = ordinal;
            if (sequence < firstSequence || sequence >= endSequence)
            {
                return false;
            }
        }

        frameOffset = frameOffsets[slot(sequence)];
        entryOffset = entryOffsets[slot(sequence)];
        if (!isShown())
        {
            cover(sequence, limit);
            check(cursor.examine(frameOffset, limit, 0 == entryOffset ? sequence : FrameCursor.ANY_SEQUENCE), sequence);
        }
        if (0 == entryOffset)
        {
            recordIndex = cursor.index() + FrameHeader.LENGTH;
            recordLength = cursor.storedLength() - FrameHeader.LENGTH;
            recordTag = cursor.tag();
        }
        else
        {
            final int entry = cursor.index() + entryOffset;
            final int room = room();
            recordIndex = entry + FrameHeader.BATCH_ENTRY_HEADER_LENGTH;
            recordLength = room < 0 ? -1 : cursor.buffer().getInt(entry);
            if (recordLength < 0 || recordLength > room)
            {
                // A writer in another process may have put another batch here: throw to the caller.
                throw new CorruptJournalException(
                    "no entry of a batch: file=" + cursor.segment().name() + ", offset=" + frameOffset + ", sequence=" +
                        sequence);
            }
            recordTag = cursor.buffer().getLong(entry + Long.BYTES);
        }

        return true;
    }

    int frameOffset()
    {
        return frameOffset;
    }

    int entryOffset()
    {
        return entryOffset;
    }

    int recordIndex()
    {
        return recordIndex;
    }

    int recordLength()
    {
        return recordLength;
    }

    long recordTag()
    {
        return recordTag;
    }

    /**
     * Bytes behind the entry's header in the batch that the cursor shows; negative if there is no batch that long.
     */
    private int room()
    {
        return cursor.isControl() && FrameHeader.BATCH == cursor.kind() ?
            -cursor.storedLength() - entryOffset - FrameHeader.BATCH_ENTRY_HEADER_LENGTH : -1;
    }

    /**
     * Whether the cursor already shows the batch that holds the record: its checksum is not computed for each entry.
     */
    private boolean isShown()
    {
        return 0 != entryOffset && cursor.offset() == frameOffset && null != cursor.buffer() &&
            cursor.isLoaded(frameOffset, frameOffset + FrameHeader.LENGTH) &&
            cursor.isControl() && FrameHeader.BATCH == cursor.kind();
    }

    /**
     * Indexes the range before a position.
     */
    private void fill(final int offset, final int batchIndex, final long nextSequence, final int limit)
        throws IOException
    {
        firstSequence = nextSequence;
        endSequence = nextSequence;
        if (SegmentHeader.LENGTH == offset && 0 == batchIndex)
        {
            return;
        }

        int mark = offset;
        for (int distance = STRETCH_LENGTH; mark > SegmentHeader.LENGTH; distance *= 2)
        {
            mark = Math.max(SegmentHeader.LENGTH, offset - distance);
            if (mark > SegmentHeader.LENGTH)
            {
                final int found = FrameSearch.watermark(cursor, mark, offset);
                if (found >= 0 && cursor.sequence() < nextSequence)
                {
                    mark = found;
                    break;
                }
            }
        }

        check(cursor.examine(mark, mark < offset ? offset : limit, FrameCursor.ANY_SEQUENCE), nextSequence);
        firstSequence = cursor.sequence();
        endSequence = firstSequence;
        int at = mark;
        while (at < offset || at == offset && batchIndex > 0)
        {
            check(cursor.examine(at, at < offset ? offset : limit, endSequence), endSequence);
            cursor.checkKnown();
            add(at, at == offset ? batchIndex : Integer.MAX_VALUE);
            if (at == offset)
            {
                break;
            }
            at = cursor.nextOffset();
        }
        if (endSequence != nextSequence)
        {
            throw new CorruptJournalException(
                "records are missing: file=" + cursor.segment().name() + ", offset=" + at + ", sequence=" +
                    endSequence + ", expected=" + nextSequence + ", found=" + endSequence);
        }
    }

    private void add(final int offset, final int batchLimit)
    {
        if (!cursor.isControl())
        {
            put(offset, 0);
        }
        else if (FrameHeader.BATCH == cursor.kind())
        {
            int entry = FrameHeader.BATCH_ENTRIES_OFFSET;
            for (int i = Math.min(batchLimit, cursor.batchCount()); i > 0; i--)
            {
                put(offset, entry);
                final int length = cursor.buffer().getInt(cursor.index() + entry);
                entry += FrameHeader.align(FrameHeader.BATCH_ENTRY_HEADER_LENGTH + length);
            }
        }
    }

    private void put(final int frameOffset, final int entryOffset)
    {
        frameOffsets[slot(endSequence)] = frameOffset;
        entryOffsets[slot(endSequence)] = entryOffset;
        endSequence++;
        firstSequence = Math.max(firstSequence, endSequence - CAPACITY);
    }

    /**
     * Loads the frames before the wanted one into memory together with it.
     */
    private void cover(final long sequence, final int limit) throws IOException
    {
        final int end = frameOffset + FrameHeader.LENGTH;
        if (!cursor.isLoaded(frameOffset, end))
        {
            int from = frameOffset;
            for (long s = sequence; s >= firstSequence && frameOffset - frameOffsets[slot(s)] <= COVER_LENGTH; s--)
            {
                from = frameOffsets[slot(s)];
            }
            cursor.cover(from, end, limit);
        }
    }

    private void check(final FrameCursor.Verdict verdict, final long sequence)
    {
        if (FrameCursor.Verdict.VALID != verdict)
        {
            throw new CorruptJournalException(
                "damaged record: " + cursor.describe(verdict, sequence) + "; restore the file from a backup");
        }
    }

    private static int slot(final long sequence)
    {
        return (int)(sequence & (CAPACITY - 1));
    }
}
