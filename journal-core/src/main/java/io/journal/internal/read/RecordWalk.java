// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.JournalReader;
import io.journal.internal.control.History;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;

/**
 * Moves from record to record of a journal. For one thread at a time.
 * <p>
 * Everything below the end that its {@link ReadSource} returns is present and valid, unless it is corrupt, or was
 * pruned or truncated meanwhile, which {@link ReadSource#history()} shows.
 */
public final class RecordWalk implements AutoCloseable
{
    /** Whether the position is part of the journal. */
    public enum Standing
    {
        FOLLOWING,
        PRUNED,
        TRUNCATED,
        /** There is no position: there was no seek yet, or the last one failed. */
        LOST,
        /** Nothing is left to read, and no record will follow. */
        FINISHED
    }

    private static final int NEAR = 16;
    private static final long NONE = -1;
    static final VerifiedSegments ALWAYS = new VerifiedSegments(JournalReader.Verification.ALWAYS);

    private final ReadSource source;
    private final ReadableEnd end;
    private final FrameWalk frames;
    private final FrameCursor cursor;
    private final FoundRecord record;
    private final Seek seek;
    private final VerifiedSegments verification;

    // The history when the position was taken.
    private History history;
    private Standing standing = Standing.LOST;
    // Whether the frame at the position was examined, and holds the next record.
    private boolean isExamined;
    // Ordinal of the segment all of whose records before the position were passed.
    private long wholeOrdinal = NONE;
    private long checkedLoads;

    public RecordWalk(final ReadSource source, final ReadSource.End readable)
    {
        this(source, readable, ALWAYS);
    }

    RecordWalk(final ReadSource source, final ReadSource.End readable, final VerifiedSegments verification)
    {
        this.source = source;
        this.verification = verification;
        end = new ReadableEnd(source, readable);
        frames = new FrameWalk(this::enter, new Layout(source.segmentLength()), source.newWindow(), true);
        cursor = frames.cursor();
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

        record.take(frames.nextSequence(), frames.position());
        return true;
    }

    /** Examines frames from the position on up to the frame of the next record. */
    private boolean examineNext() throws IOException
    {
        if (Standing.PRUNED == standing || Standing.TRUNCATED == standing)
        {
            return false;
        }

        while (end.isAfter(frames.position()))
        {
            final FrameWalk.Stop stop = frames.next(end.position());
            if (isLoadOutdated())
            {
                return false;
            }
            if (FrameWalk.Stop.END == stop)
            {
                throw frames.corrupt();
            }
            if (FrameWalk.Stop.RECORD == stop)
            {
                isExamined = end.isPublished(frames.nextSequence(), frames.position());
                return isExamined;
            }
        }
        return false;
    }

    /** Opens the segment that the walk has come to. */
    private Segment enter(final long ordinal) throws IOException
    {
        final Segment segment = source.segment(ordinal, history);
        cursor.verifyRecords(verification.isNeeded(ordinal, history.number));
        if (ordinal != wholeOrdinal)
        {
            if (NONE != wholeOrdinal)
            {
                verification.passed(wholeOrdinal, history.startPosition / source.segmentLength(), history.number);
            }
            wholeOrdinal = SegmentHeader.LENGTH == frames.offset() ? ordinal : NONE;
        }
        return segment;
    }

    /** Opens a segment that a seek looks into. */
    void attach(final long ordinal, final boolean isKept) throws IOException
    {
        source.attach(cursor, ordinal, history, end.position(), isKept);
        cursor.verifyRecords(verification.isNeeded(ordinal, history.number));
    }

    /** Moves past the record that {@link #next} found. */
    public void pass()
    {
        isExamined = false;
        frames.pass();
    }

    /** Moves past records of the segment that follow the last passed record. */
    void passTo(final int offset, final long nextSequence, final boolean isInBatch)
    {
        isExamined = false;
        frames.passTo(offset, nextSequence, isInBatch);
    }

    public FoundRecord record()
    {
        return record;
    }

    public Seek seek()
    {
        return seek;
    }

    ReadableEnd readable()
    {
        return end;
    }

    /** Reconciles the position with prunes and truncations since it was taken. Call before reading. */
    public Standing reconcile()
    {
        final History now = source.history();
        if (now != history && Standing.LOST != standing)
        {
            final History before = history;
            history = now;
            end.forget();
            isExamined = false;
            if (now.number != before.number)
            {
                // Discarded in any case, because a later seek may come back to the same segment.
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
        final long nextSequence = frames.nextSequence();
        if (history.isCutSince(before.number, nextSequence))
        {
            return Standing.TRUNCATED;
        }
        if (nextSequence < history.startSequence)
        {
            return Standing.PRUNED;
        }
        if (history.prunedNumber > before.number && nextSequence > 1)
        {
            // It is no longer known which records were truncated meanwhile.
            return Standing.TRUNCATED;
        }

        frames.follow(history);
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

    History history()
    {
        return history;
    }

    /** Whether a sequence is not far after the position, and the position is valid in the given history. */
    boolean isNear(final long sequence, final History now)
    {
        final long distance = sequence - frames.nextSequence();
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
        return frames.nextSequence() > end.lastSequence();
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
        cursor.close();
    }

    /** Closes the segment, and releases the memory by which the window has grown for a long record. */
    void closeAndShrink()
    {
        isExamined = false;
        frames.close();
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
        isExamined = false;
        wholeOrdinal = NONE;
        standing = Standing.LOST;
        checkedLoads = cursor.loads();
    }

    /** Moves to a frame, or to the end of the segment. */
    void moveTo(final long position, final long nextSequence)
    {
        isExamined = false;
        frames.moveTo(history, position, nextSequence);
    }

    /** Names the record that is searched for, where there is no position. */
    void expect(final long sequence)
    {
        frames.expect(sequence);
    }

    /** Ends a search at the position. */
    void found(final Standing standing)
    {
        this.standing = standing;
        if (Standing.FOLLOWING == standing && frames.nextSequence() == history.startSequence)
        {
            wholeOrdinal = frames.position() / source.segmentLength();
        }
    }

    /** Returns to an earlier position of the walk, in its history. */
    void moveBack(final History before, final long position, final long nextSequence)
    {
        begin(before);
        moveTo(position, nextSequence);
        found(Standing.FOLLOWING);
    }

    /** Discards the bytes that were read. */
    private void forget()
    {
        close();
        end.forget();
    }

    /** Whether bytes were loaded after a prune or truncation. Bytes loaded earlier were checked after their load. */
    private boolean isLoadOutdated()
    {
        final boolean isNew = cursor.loads() != checkedLoads;
        checkedLoads = cursor.loads();
        return isNew && isOutdated();
    }

    public long nextSequence()
    {
        return frames.nextSequence();
    }

    public long position()
    {
        return frames.position();
    }

    /** Position of the beginning of the segment. */
    long basePosition()
    {
        return frames.basePosition();
    }

    int offset()
    {
        return frames.offset();
    }

    /** Offset up to which the segment may be read, as far as is known. */
    int limit()
    {
        return frames.frameLimit(end.position());
    }

    /** Whether the position is between two records of a batch, if the one before it was passed. */
    public boolean isInBatch()
    {
        return frames.isInBatch();
    }

    String place()
    {
        return frames.place();
    }
}
