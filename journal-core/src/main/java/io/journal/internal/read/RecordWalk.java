package io.journal.internal.read;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.CorruptJournalException;
import io.journal.ReadLimit;
import io.journal.ReaderState;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;

/**
 * A place between two records of a journal, and the way from record to record. For one thread at a time.
 * <p>
 * Everything below the end that its {@link ReadSource} names is there and valid, unless it is damaged, or was pruned or
 * cut meanwhile, which the source's state tells.
 */
public final class RecordWalk implements AutoCloseable
{
    private static final int READ_LENGTH = 64 * 1024;

    private final ReadSource source;
    private final ReadLimit readLimit;
    private final FrameCursor cursor;
    private final int segmentLength;
    private final Seek seek;

    // The place: that of a frame, and in a batch how many of its records lie before.
    private long basePosition;
    private int offset;
    private long nextSequence;
    private int batchCount;
    private int batchIndex;
    private int batchOffset;
    // Whether the frame at the place is the one that the cursor shows.
    private boolean isExamined;

    // Everything below may be read.
    private long end;
    private int limit;
    private long lastReadable;

    // What was known when the place was taken.
    private JournalMeta.State state;
    private ReaderState standing = ReaderState.FOLLOWING;
    private long checkedLoads;
    // Whether there is no place: none was looked for yet, or the last seek failed.
    private boolean isLost = true;

    private BackwardIndex backwards;

    // The record that was found.
    private int recordIndex;
    private int recordLength;
    private long recordTag;

    public RecordWalk(final ReadSource source, final ReadLimit readLimit)
    {
        this.source = source;
        this.readLimit = readLimit;
        segmentLength = source.segmentLength();
        cursor = new FrameCursor(source.newWindow());
        cursor.readAhead(READ_LENGTH);
        seek = new Seek(this, source, readLimit, cursor);
    }

    /**
     * Compares the place with what was pruned and cut since it was taken. Comes before anything is read.
     */
    public ReaderState settle()
    {
        final JournalMeta.State now = source.state();
        if (now != state && !isLost)
        {
            final JournalMeta.Cut cut = now.epoch == state.epoch ? null : source.cutSince(state.epoch);
            state = now;
            end = 0;
            if (ReaderState.FOLLOWING == standing)
            {
                standing = settle(cut);
            }
        }

        return standing;
    }

    /**
     * Whether something was pruned or cut since the place was settled.
     */
    public boolean isUnsettled()
    {
        return source.state() != state;
    }

    /**
     * Turns to a segment.
     *
     * @param nextSequence of the segment's first record, or {@link FrameCursor#ANY_SEQUENCE}.
     */
    void enter(final long ordinal, final long nextSequence) throws IOException
    {
        // The place first: if the segment cannot be had now, it is tried again from here.
        leaveFor(ordinal * segmentLength, SegmentHeader.LENGTH);
        this.nextSequence = nextSequence;
        attach();
        look();
    }

    /**
     * Finds the next record, passing over control frames.
     *
     * @return false at the end, or if something was pruned or cut meanwhile.
     */
    public boolean next() throws IOException
    {
        while (true)
        {
            if (isExamined && batchIndex < batchCount)
            {
                findInBatch();
                return true;
            }
            if (basePosition + offset >= end && !look())
            {
                return false;
            }
            if (offset >= segmentLength)
            {
                enter(basePosition / segmentLength + 1, nextSequence);
                continue;
            }
            if (null == cursor.segment())
            {
                attach();
            }

            examine(offset, nextSequence - batchIndex);
            if (isOutdated())
            {
                return false;
            }
            if (!cursor.isControl() || FrameHeader.BATCH == cursor.kind())
            {
                if (!isPublished())
                {
                    return false;
                }
                isExamined = true;
                if (!cursor.isControl())
                {
                    recordIndex = cursor.index() + FrameHeader.LENGTH;
                    recordLength = cursor.storedLength() - FrameHeader.LENGTH;
                    recordTag = cursor.tag();
                    return true;
                }
                beginBatch();
            }
            else
            {
                cursor.checkKnown();
                goTo(cursor.nextOffset());
            }
        }
    }

    /**
     * Steps over the record that was found.
     */
    public void pass()
    {
        nextSequence++;
        batchIndex++;
        if (batchIndex < batchCount)
        {
            batchOffset += FrameHeader.align(FrameHeader.BATCH_ENTRY_HEADER_LENGTH + recordLength);
        }
        else
        {
            goTo(cursor.nextOffset());
        }
    }

    /**
     * The search that finds other places for this walk.
     */
    public Seek seek()
    {
        return seek;
    }

    /**
     * Whether there is nothing to read at present.
     */
    public boolean isAtEnd()
    {
        return nextSequence > source.lastSequence(readLimit);
    }

    /**
     * Finds the record before the place, which is kept.
     *
     * @return false at the first record, or if something was pruned or cut meanwhile.
     */
    public boolean previous() throws IOException
    {
        if (null == backwards)
        {
            backwards = new BackwardIndex(cursor);
        }

        while (nextSequence > state.startSequence)
        {
            if (null == cursor.segment())
            {
                attach();
            }
            if (position() >= end)
            {
                look();
            }

            isExamined = false;
            final int segmentLimit = (int)Math.min(segmentLength, end - basePosition);
            if (backwards.find(state, ordinal(), offset, batchIndex, nextSequence, segmentLimit))
            {
                recordIndex = backwards.recordIndex();
                recordLength = backwards.recordLength();
                recordTag = backwards.recordTag();
                return !isOutdated();
            }
            if (isOutdated())
            {
                return false;
            }
            if (basePosition <= state.startPosition)
            {
                throw new CorruptJournalException(
                    "records are missing: file=" + JournalFiles.segment(ordinal()) + ", offset=" +
                        SegmentHeader.LENGTH + ", sequence=" + (nextSequence - 1) +
                        ", expected=the sequence of the first mark, found=" + nextSequence);
            }
            leaveFor(basePosition - segmentLength, segmentLength);
        }

        return false;
    }

    /**
     * Steps before the record that {@link #previous} found.
     */
    public void passBack()
    {
        nextSequence--;
        goTo(backwards.frameOffset());
        if (cursor.isControl() && nextSequence > cursor.sequence())
        {
            batchCount = cursor.batchCount();
            batchIndex = (int)(nextSequence - cursor.sequence());
            batchOffset = backwards.entryOffset();
        }
    }

    /**
     * Whether records are handed out in memory of a mapped segment.
     */
    public boolean isMapped()
    {
        return cursor.isMapped();
    }

    public boolean isLost()
    {
        return isLost;
    }

    public long nextSequence()
    {
        return nextSequence;
    }

    public long position()
    {
        return basePosition + offset;
    }

    /**
     * Whether the place is between two records of a batch.
     */
    public boolean isInBatch()
    {
        return batchIndex > 0;
    }

    /**
     * Where the frame of the record that was found begins.
     */
    public long recordPosition()
    {
        return basePosition + cursor.offset();
    }

    public long lastSequence()
    {
        return source.lastSequence(readLimit);
    }

    public long ordinal()
    {
        return basePosition / segmentLength;
    }

    public int offset()
    {
        return offset;
    }

    /**
     * Offset up to which the segment may be read.
     */
    int limit()
    {
        return limit;
    }

    public ByteBuffer recordBuffer()
    {
        return cursor.buffer();
    }

    public int recordIndex()
    {
        return recordIndex;
    }

    public int recordLength()
    {
        return recordLength;
    }

    public long recordTag()
    {
        return recordTag;
    }

    @Override
    public void close()
    {
        isExamined = false;
        cursor.close();
    }

    /**
     * Gives up the place for one that is still to be found in a state.
     */
    void begin(final JournalMeta.State state)
    {
        isLost = true;
        this.state = state;
        standing = ReaderState.FOLLOWING;
        checkedLoads = cursor.loads();
    }

    /**
     * Says that the place is the one that was to be found.
     */
    void found()
    {
        isLost = false;
    }

    /**
     * Takes a place in the segment that was entered.
     */
    void goTo(final int offset, final long nextSequence)
    {
        goTo(offset);
        this.nextSequence = nextSequence;
    }

    /**
     * Checks a frame of the segment that was entered.
     *
     * @throws CorruptJournalException if it is not valid.
     */
    void examine(final int offset, final long expectedSequence) throws IOException
    {
        final FrameCursor.Verdict verdict = cursor.examine(offset, limit, expectedSequence);
        if (FrameCursor.Verdict.VALID != verdict)
        {
            throw new CorruptJournalException(
                "damaged record: " + cursor.describe(verdict, expectedSequence) +
                    "; restore the file from a backup");
        }
    }

    private ReaderState settle(final JournalMeta.Cut cut)
    {
        if (null != cut)
        {
            if (nextSequence > cut.sequence)
            {
                return ReaderState.TRUNCATED;
            }
            // No record before the place is gone; frames behind the last of them may be.
            if (position() > cut.position)
            {
                leaveFor(cut.position & -segmentLength, (int)(cut.position & (segmentLength - 1)));
            }
            else
            {
                forget();
            }
        }
        if (nextSequence < state.startSequence)
        {
            return ReaderState.PRUNED;
        }
        if (basePosition < state.startPosition)
        {
            // All of the pruned segment was read.
            leaveFor(state.startPosition, SegmentHeader.LENGTH);
        }

        return ReaderState.FOLLOWING;
    }

    private void leaveFor(final long basePosition, final int offset)
    {
        this.basePosition = basePosition;
        goTo(offset);
        forget();
    }

    /**
     * Keeps the place and nothing of what was read there.
     */
    private void forget()
    {
        isExamined = false;
        end = 0;
        cursor.close();
    }

    private void attach() throws IOException
    {
        cursor.attach(source.openSegment(basePosition / segmentLength));
    }

    /**
     * Whether bytes were read after something was pruned or cut. Bytes in memory were checked before; it is enough to
     * ask when others were loaded.
     */
    private boolean isOutdated()
    {
        if (cursor.loads() != checkedLoads)
        {
            checkedLoads = cursor.loads();
            return isUnsettled();
        }

        return false;
    }

    /**
     * Whether the sequence of the frame at the place is published, and not just the frame.
     */
    private boolean isPublished()
    {
        final long last = cursor.nextSequence() - 1;
        if (last > lastReadable)
        {
            look();
        }

        return last <= lastReadable;
    }

    private void beginBatch()
    {
        if (0 == batchCount)
        {
            batchCount = cursor.batchCount();
            batchOffset = FrameHeader.BATCH_ENTRIES_OFFSET;
        }
    }

    private void findInBatch()
    {
        final int entry = cursor.index() + batchOffset;
        recordLength = cursor.buffer().getInt(entry);
        recordTag = cursor.buffer().getLong(entry + Long.BYTES);
        recordIndex = entry + FrameHeader.BATCH_ENTRY_HEADER_LENGTH;
    }

    private void goTo(final int offset)
    {
        this.offset = offset;
        batchCount = 0;
        batchIndex = 0;
        isExamined = false;
    }

    /**
     * Looks how far the journal may be read by now.
     *
     * @return whether there is anything to read.
     */
    private boolean look()
    {
        final long position = basePosition + offset;
        // The sequence first: it is published after its position, and nobody may be given a record that
        // lastSequence() does not know yet.
        lastReadable = source.readableSequence(readLimit);
        end = source.readableEnd(readLimit, position);
        limit = (int)Math.min(segmentLength, end - basePosition);
        return position < end;
    }
}
