package io.journal.internal.read;

import java.io.IOException;
import java.nio.ByteBuffer;

import io.journal.CorruptJournalException;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;

/**
 * Moves from record to record of a journal; its position is between two records. For one thread at a time.
 * <p>
 * Everything below the end that its {@link ReadSource} returns is present and valid, unless it is corrupt, or was
 * pruned or truncated meanwhile, which {@link ReadSource#state()} shows.
 */
public final class RecordWalk implements AutoCloseable
{
    /** Whether the position is still part of the journal. */
    public enum Standing
    {
        FOLLOWING,
        PRUNED,
        TRUNCATED
    }

    private static final int READ_LENGTH = 64 * 1024;

    private final ReadSource source;
    private final ReadSource.End readable;
    private final FrameCursor cursor;
    private final int segmentLength;
    private final Seek seek;

    // The position: that of a frame, and in a batch the number of its records before the position.
    private long basePosition;
    private int offset;
    private long nextSequence;
    private int batchCount;
    private int batchIndex;
    private int batchOffset;
    // Whether the cursor shows the frame at the position.
    private boolean isExamined;

    // Everything below may be read.
    private long end;
    private int limit;
    private long lastReadable;

    // The journal's state when the position was taken.
    private JournalMeta.State state;
    private Standing standing = Standing.FOLLOWING;
    private long checkedLoads;
    // Whether there is no position: there was no seek yet, or the last one failed.
    private boolean isLost = true;

    private BackwardIndex backwards;

    // The record that was found.
    private int recordIndex;
    private int recordLength;
    private long recordTag;

    public RecordWalk(final ReadSource source, final ReadSource.End readable)
    {
        this.source = source;
        this.readable = readable;
        segmentLength = source.segmentLength();
        cursor = new FrameCursor(source.newWindow());
        cursor.readAhead(READ_LENGTH);
        seek = new Seek(this, source, readable, cursor);
    }

    /**
     * Reconciles the position with prunes and truncations since it was taken. Call before reading.
     */
    public Standing settle()
    {
        final JournalMeta.State now = source.state();
        if (now != state && !isLost)
        {
            final JournalMeta.Cut cut = now.cutSince(state.epoch);
            state = now;
            end = 0;
            if (Standing.FOLLOWING == standing)
            {
                standing = settle(cut);
            }
        }

        return standing;
    }

    /**
     * Whether a prune or truncation happened since the last {@link #settle()}.
     */
    public boolean isUnsettled()
    {
        return source.state() != state;
    }

    /**
     * Moves to a segment.
     *
     * @param nextSequence of the segment's first record, or {@link FrameCursor#ANY_SEQUENCE}.
     */
    void enter(final long ordinal, final long nextSequence) throws IOException
    {
        // Position first: if the segment cannot be opened now, the next call retries from here.
        leaveFor(ordinal * segmentLength, SegmentHeader.LENGTH);
        this.nextSequence = nextSequence;
        attach();
        look();
    }

    /**
     * Finds the next record, skipping control frames.
     *
     * @return false at the end, or if a prune or truncation happened meanwhile.
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
     * Moves behind the record that was found.
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
     * The search that moves this walk elsewhere.
     */
    public Seek seek()
    {
        return seek;
    }

    /**
     * Whether there is nothing to read now.
     */
    public boolean isAtEnd()
    {
        return nextSequence > source.lastSequence(readable);
    }

    /**
     * Finds the record before the position, which does not change.
     *
     * @return false at the first record, or if a prune or truncation happened meanwhile.
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
     * Moves before the record that {@link #previous} found.
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
     * Whether records are returned in memory of a mapped segment.
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
     * Whether the position is between two records of a batch.
     */
    public boolean isInBatch()
    {
        return batchIndex > 0;
    }

    /**
     * Position of the frame of the record that was found.
     */
    public long recordPosition()
    {
        return basePosition + cursor.offset();
    }

    public long lastSequence()
    {
        return source.lastSequence(readable);
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
     * Drops the position and begins a search in a state of the journal.
     */
    void begin(final JournalMeta.State state)
    {
        isLost = true;
        this.state = state;
        standing = Standing.FOLLOWING;
        checkedLoads = cursor.loads();
    }

    /**
     * Ends a search: the position is valid.
     */
    void found()
    {
        isLost = false;
    }

    /**
     * Moves to an offset in the segment that was entered.
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

    private Standing settle(final JournalMeta.Cut cut)
    {
        if (null != cut)
        {
            if (nextSequence > cut.sequence)
            {
                return Standing.TRUNCATED;
            }
            // No record before the position is gone; control frames behind the last of them may be.
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
            return Standing.PRUNED;
        }
        if (basePosition < state.startPosition)
        {
            // All of the pruned segment was read.
            leaveFor(state.startPosition, SegmentHeader.LENGTH);
        }

        return Standing.FOLLOWING;
    }

    private void leaveFor(final long basePosition, final int offset)
    {
        this.basePosition = basePosition;
        goTo(offset);
        forget();
    }

    /**
     * Keeps the position and discards what was read there.
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
     * Whether bytes were read after a prune or truncation. Bytes in memory were checked before, so it is enough to
     * check after each load.
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
     * Whether the sequence of the frame at the position is published, and not just the frame.
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
     * Refreshes the end up to which the journal may be read.
     *
     * @return whether there is anything to read.
     */
    private boolean look()
    {
        final long position = basePosition + offset;
        // Sequence first: it is published after its position, and a reader must not return a record beyond
        // lastSequence().
        lastReadable = source.readableSequence(readable);
        end = source.readableEnd(readable, position);
        limit = (int)Math.min(segmentLength, end - basePosition);
        return position < end;
    }
}
