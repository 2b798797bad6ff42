package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.Chain;
import io.journal.internal.segment.FrameCursor;

/**
 * Moves from record to record of a journal. For one thread at a time.
 * <p>
 * Everything below the end that its {@link ReadSource} returns is present and valid, unless it is corrupt, or was
 * pruned or truncated meanwhile, which {@link ReadSource#state()} shows.
 */
public final class RecordWalk extends WalkPosition implements AutoCloseable
{
    private static final int NEAR = 16;
    private static final Verification ALWAYS = new Verification(Verification.Mode.ALWAYS);

    private final ReadSource source;
    private final ReadableEnd end;
    private final FrameCursor cursor;
    private final Chain chain = new Chain();
    private final FoundRecord record;
    private final Seek seek;
    private final Verification verification;

    // As it was when the position was taken.
    private History history;
    private Standing standing = Standing.LOST;
    private long checkedLoads;

    public RecordWalk(final ReadSource source, final ReadSource.End readable)
    {
        this(source, readable, ALWAYS);
    }

    RecordWalk(final ReadSource source, final ReadSource.End readable, final Verification verification)
    {
        super(source.segmentLength());
        this.source = source;
        this.verification = verification;
        end = new ReadableEnd(source, readable);
        cursor = new FrameCursor(source.newWindow());
        cursor.readAhead(ReadSource.WINDOW_LENGTH);
        record = new FoundRecord(cursor);
        seek = new Seek(this, source, end, cursor);
    }

    /**
     * Finds the next record, skipping control frames. The position stays before it until {@link #pass}.
     *
     * @return false at the end, or if a prune or truncation happened meanwhile.
     */
    public boolean next() throws IOException
    {
        if (!isExamined && !examineNext())
        {
            return false;
        }

        record.take(nextSequence, basePosition + offset);
        return true;
    }

    /** Examines frames from the position on until one is that of the next record. */
    private boolean examineNext() throws IOException
    {
        while (true)
        {
            while (offset >= limit)
            {
                if (!readOn())
                {
                    return false;
                }
            }

            FoundRecord.show(cursor, offset, limit, nextSequence);
            if (isLoadOutdated())
            {
                return false;
            }
            final boolean isMark = cursor.isMark(FrameCursor.Verdict.VALID);
            if (!isMark)
            {
                checkTermBegun();
            }
            if (!cursor.isControl())
            {
                isExamined = end.isPublished(nextSequence, basePosition + offset);
                return isExamined;
            }
            checkBatchIsWhole();
            cursor.checkKnown();
            if (isMark && !chain.pass(cursor))
            {
                throw cursor.corrupt(
                    "frame of another term", FrameCursor.Verdict.INVALID, nextSequence,
                    "; the file may be an older copy: restore it from a backup");
            }
            goTo(cursor.nextOffset());
        }
    }

    /** A batch ends before a control frame and before the end of a segment. */
    private void checkBatchIsWhole()
    {
        if (isInBatch)
        {
            throw new CorruptJournalException(
                "batch without its last record: " + place() + "; restore the file from a backup", null,
                JournalFiles.segment(basePosition / segmentLength), offset, nextSequence);
        }
    }

    /**
     * Finds out how far the segment of the position may be read, and opens it, or the next one at its end.
     *
     * @return false if nothing may be read at the position.
     */
    private boolean readOn() throws IOException
    {
        final boolean isGone = Standing.PRUNED == standing || Standing.TRUNCATED == standing;
        if (isGone || !end.isAfter(basePosition + offset))
        {
            return false;
        }

        final Cut cut = history.cutAt(place(offset));
        if (null != cut)
        {
            cross(cut);
            return end.isAfter(basePosition + offset);
        }
        if (offset >= segmentLength)
        {
            checkBatchIsWhole();
            final long ordinal = basePosition / segmentLength;
            if (isWhole)
            {
                verification.passed(ordinal, history.startPosition / segmentLength, history.number);
            }
            enter(ordinal + 1, nextSequence);
            isWhole = true;
        }
        else if (null == cursor.segment())
        {
            attach(false);
        }
        final Cut next = history.cutEndingAfter(basePosition + offset);
        final int readable = end.limit(basePosition, offset);
        limit = null == next ? readable : (int)Math.min(readable, next.from() - basePosition);
        return true;
    }

    /** The position of an offset; that of the first frame of the next segment at the end of this one. */
    private long place(final int offset)
    {
        return basePosition + (offset < segmentLength ? offset : segmentLength + SegmentHeader.LENGTH);
    }

    private void cross(final Cut cut)
    {
        checkBatchIsWhole();
        final boolean isAtStart = place(offset) == history.startPosition + SegmentHeader.LENGTH;
        if (!isAtStart && (place(offset) != cut.from() || !chain.isBefore(cut, nextSequence)))
        {
            throw new CorruptJournalException(
                "not the records after which something was truncated: " + place() + ", expected=position " +
                    cut.from() + ", sequence " + cut.sequence() +
                    "; the file may be an older copy: restore it from a backup",
                null, null, CorruptJournalException.UNKNOWN, nextSequence);
        }
        nextSequence = cut.sequence();
        leaveFor(cut.to());
        chain.cross(cut);
    }

    private void checkTermBegun()
    {
        if (chain.isTermDue())
        {
            throw cursor.corrupt(
                "no watermark frame begins a term", FrameCursor.Verdict.INVALID, nextSequence,
                "; the file may be an older copy: restore it from a backup");
        }
    }

    /** Moves past the record that {@link #next} or {@link #previous} found. */
    public void pass(final boolean isForward)
    {
        if (isForward)
        {
            goBehind(cursor.nextOffset(), nextSequence + 1, cursor.isMore());
        }
        else
        {
            goTo(cursor.offset(), nextSequence - 1);
            isExamined = true;
            // The watermark frames that follow may be those of earlier terms again.
            chain.start(history);
        }
    }

    /**
     * Finds the record before the position, which stays behind it until {@link #pass}. That record was readable
     * when the position was taken, so it does not matter where the end is now.
     *
     * @return false at the first record, if a prune or truncation happened meanwhile, or if nothing is readable now.
     */
    public boolean previous() throws IOException
    {
        while (nextSequence > history.startSequence && end.current() > 0)
        {
            final Cut cut = history.cutBefore(basePosition + offset);
            final int from = null == cut ? SegmentHeader.LENGTH :
                (int)Math.max(SegmentHeader.LENGTH, cut.to() - basePosition);
            final boolean isFound = offset > from && showPrevious(from);
            if (isLoadOutdated())
            {
                return false;
            }
            if (isFound)
            {
                record.take(nextSequence - 1, basePosition + cursor.offset());
                return true;
            }
            leaveForPrevious(cut);
        }

        return false;
    }

    /** Moves to where the part of the log before this one ends: that before a cut, or the previous segment. */
    private void leaveForPrevious(final Cut cut)
    {
        if (null != cut && cut.to() >= basePosition + SegmentHeader.LENGTH)
        {
            final int cutOffset = (int)(cut.from() & (segmentLength - 1));
            final boolean isAtEnd = SegmentHeader.LENGTH == cutOffset;
            if (cut.from() <= history.startPosition + SegmentHeader.LENGTH || nextSequence != cut.sequence())
            {
                throw missingBefore();
            }
            leaveFor(
                cut.from() - cutOffset - (isAtEnd ? segmentLength : 0), isAtEnd ? segmentLength : cutOffset);
        }
        else if (basePosition <= history.startPosition)
        {
            throw missingBefore();
        }
        else
        {
            leaveFor(basePosition - segmentLength, segmentLength);
        }
    }

    /** Shows the frame of the record before the position, if it is behind an offset in the segment. */
    private boolean showPrevious(final int from) throws IOException
    {
        if (null == cursor.segment())
        {
            attach(false);
        }
        isExamined = false;
        final int frameOffset = seek.offsetBefore(from, offset, nextSequence - 1, history);
        if (frameOffset < 0)
        {
            return false;
        }
        if (frameOffset >= offset)
        {
            throw missingBefore();
        }

        FoundRecord.show(cursor, frameOffset, offset, nextSequence - 1);
        return true;
    }

    private CorruptJournalException missingBefore()
    {
        return new CorruptJournalException(
            "records before this one are missing: " + place(), null, null, CorruptJournalException.UNKNOWN,
            nextSequence - 1);
    }

    public FoundRecord record()
    {
        return record;
    }

    public Seek seek()
    {
        return seek;
    }

    RecordDelivery newDelivery(final RecordFinder finder)
    {
        return new RecordDelivery(finder, this, end);
    }

    /** Reconciles the position with prunes and truncations since it was taken. Call before reading. */
    public Standing reconcile()
    {
        final History now = source.history();
        if (now != history && Standing.LOST != standing)
        {
            final History before = history;
            history = now;
            chain.follow(now);
            end.forget();
            limit = 0;
            isExamined = false;
            if (now.number != before.number)
            {
                // Whatever becomes of the position: a later seek may come back to the same segment.
                forget();
            }
            if (Standing.FOLLOWING == standing)
            {
                standing = reconcile(before);
            }
        }

        return standing;
    }

    private Standing reconcile(final History before)
    {
        if (history.isCutSince(before.number, nextSequence))
        {
            return Standing.TRUNCATED;
        }
        if (nextSequence < history.startSequence)
        {
            return Standing.PRUNED;
        }
        if (history.prunedNumber > before.number)
        {
            // What was cut meanwhile is not known any more.
            return Standing.TRUNCATED;
        }
        final Cut cut = history.cutAt(place(offset));
        if (null != cut)
        {
            // No record before the position is gone; control frames behind the last of them are.
            leaveFor(cut.from());
        }
        if (basePosition < history.startPosition)
        {
            // All of the pruned segment was read.
            leaveFor(history.startPosition + SegmentHeader.LENGTH);
        }

        return Standing.FOLLOWING;
    }

    /** Whether a prune or truncation happened since the last {@link #reconcile()}. */
    public boolean isOutdated()
    {
        return source.history() != history;
    }

    Standing standing()
    {
        return standing;
    }

    /** Whether a sequence is not far behind the position, which is that of a record in the given history. */
    boolean isNear(final long sequence, final History now)
    {
        final long distance = sequence - nextSequence;
        return history == now && Standing.FOLLOWING == standing && distance >= 0 && distance < NEAR;
    }

    /** Number of the current term when the position was taken. */
    public long number()
    {
        return history.number;
    }

    /** Whether there is nothing to read now. */
    public boolean isAtEnd()
    {
        return nextSequence > end.lastSequence();
    }

    public long lastSequence()
    {
        return end.lastSequence();
    }

    public FrameCursor cursor()
    {
        return cursor;
    }

    @Override
    public void close()
    {
        isExamined = false;
        limit = 0;
        cursor.close();
    }

    /** Closes the segment, and releases the memory by which the window has grown for a long record. */
    void closeAndShrink()
    {
        close();
        cursor.closeAndShrink();
        record.release();
    }

    /** Begins a search in a state of the journal. There is no position until {@link #found}. */
    void begin(final History history)
    {
        if (history != this.history)
        {
            forget();
        }
        this.history = history;
        chain.start(history);
        // That of the position so far may be behind a cut.
        limit = 0;
        standing = Standing.LOST;
        checkedLoads = cursor.loads();
    }

    /**
     * Moves to the beginning of a segment.
     *
     * @param nextSequence of the segment's first record, or {@link FrameCursor#ANY_SEQUENCE}.
     * @return offset up to which the segment may be read; 0 if nothing of it may be.
     */
    int enter(final long ordinal, final long nextSequence) throws IOException
    {
        // Position first: if the segment cannot be opened now, the next call retries from here.
        this.nextSequence = nextSequence;
        leaveFor(ordinal * segmentLength, SegmentHeader.LENGTH);
        attach(false);
        return end.limit(basePosition, offset);
    }

    /** Moves into the segment of a position, which stays open for the next seek, unless the walk is in it already. */
    void enterKept(final long position) throws IOException
    {
        final long base = position & -segmentLength;
        if (base != basePosition || null == cursor.segment() || base != cursor.segment().basePosition)
        {
            leaveFor(base, SegmentHeader.LENGTH);
            attach(true);
        }
    }

    /** Ends a search at the position. */
    void found(final Standing standing)
    {
        this.standing = standing;
        isWhole = Standing.FOLLOWING == standing && nextSequence == history.startSequence;
    }

    private void leaveFor(final long position)
    {
        leaveFor(position & -segmentLength, (int)(position & (segmentLength - 1)));
    }

    private void leaveFor(final long basePosition, final int offset)
    {
        this.basePosition = basePosition;
        goTo(offset);
        isWhole = false;
        forget();
    }

    /** Keeps the position and discards what was read there. */
    private void forget()
    {
        close();
        end.forget();
    }

    private void attach(final boolean isKept) throws IOException
    {
        final long ordinal = basePosition / segmentLength;
        cursor.attach(source.segment(ordinal, history, isKept));
        cursor.verifyRecords(verification.isNeeded(ordinal, history.number));
    }

    /** Whether bytes were loaded after a prune or truncation. Those in memory before were checked after their load. */
    private boolean isLoadOutdated()
    {
        final boolean isNew = cursor.loads() != checkedLoads;
        checkedLoads = cursor.loads();
        return isNew && isOutdated();
    }
}
