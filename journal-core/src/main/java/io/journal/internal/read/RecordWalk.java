// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.JournalReader;
import io.journal.internal.control.History;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;
import org.jspecify.annotations.Nullable;

/**
 * A position in the records of a journal: the walk over frames, the history in which the position was taken, and how
 * far may be read. {@link Seek} moves it. For one thread at a time.
 * <p>
 * Everything below the end that its {@link ReadSource} returns is present and valid, unless it is corrupt, or was
 * pruned meanwhile, which {@link ReadSource#history()} shows.
 */
public final class RecordWalk implements AutoCloseable
{
    private static final int NEAR = 16;
    private static final long NONE = -1;
    static final VerifiedSegments ALWAYS = new VerifiedSegments(JournalReader.Verification.ALWAYS);

    final FrameWalk frames;
    final FrameCursor cursor;
    final Seek seek;
    private final ReadSource source;
    private final JournalReader.Limit which;
    private final VerifiedSegments verification;

    // The history when the position was taken.
    private History history;
    // Whether the position is part of the journal; null if there is none: no seek yet, or the last one failed.
    private JournalReader.@Nullable State state;
    // Whether the frame at the position was examined, and holds the next record.
    private boolean isExamined;
    // Ordinal of the segment all of whose records before the position were passed.
    private long wholeOrdinal = NONE;
    // How far may be read, as far as is known: the source is asked again only when the walk comes there.
    private long endPosition;
    private long endSequence;
    private boolean wasEndMissing;

    public RecordWalk(final ReadSource source, final JournalReader.Limit which)
    {
        this(source, which, ALWAYS);
    }

    RecordWalk(final ReadSource source, final JournalReader.Limit which, final VerifiedSegments verification)
    {
        this.source = source;
        this.which = which;
        this.verification = verification;
        frames = new FrameWalk(this::enter, new Layout(source.segmentLength()), source.newWindow(), true);
        cursor = frames.cursor();
        cursor.readAhead(ReadSource.WINDOW_LENGTH);
        seek = new Seek(this, source);
    }

    /**
     * Finds the next record, skipping control frames. The position stays before it until {@link #pass}.
     *
     * @return false at the end.
     */
    public boolean next() throws IOException
    {
        while (!isExamined && isReadable(frames.position()))
        {
            final FrameWalk.Stop stop = frames.next(endPosition);
            if (FrameWalk.Stop.END == stop)
            {
                if (frames.nextSequence() > source.lastSequence(which) + 1)
                {
                    // A truncation lowers the sequences, and may raise the end, before its history is published.
                    return false;
                }
                throw frames.corrupt();
            }
            if (FrameWalk.Stop.RECORD == stop)
            {
                final long sequence = frames.nextSequence();
                // Its frame may be there before its sequence is published.
                isExamined = sequence <= endSequence || refresh(frames.position()) && sequence <= endSequence;
                return isExamined;
            }
        }
        return isExamined;
    }

    /** Moves past the record that {@link #next} found. */
    public void pass()
    {
        isExamined = false;
        frames.pass();
    }

    /**
     * Verifies the record that {@link #next} found, and those that follow it in loaded memory: in one loop, before any
     * is used.
     *
     * @param limit number of records.
     * @return offset after the last valid record.
     */
    int verify(final int limit)
    {
        final int next = frames.offset() + FrameHeader.align(cursor.length());
        final long first = frames.nextSequence();
        return 1 == limit ? next : cursor.validRecords(
            next, Math.min(frames.frameLimit(endPosition), cursor.loadedEnd()), first + 1,
            Math.min(first + limit - 1, endSequence));
    }

    /** Moves past verified records, of which the last begins at an offset. */
    void passTo(final int offset, final long nextSequence, final int lastOffset)
    {
        isExamined = false;
        frames.passTo(offset, nextSequence, cursor.isMoreAt(lastOffset));
    }

    /** Opens the segment that the walk has come to. */
    private Segment enter(final long ordinal) throws IOException
    {
        final Segment segment = source.segment(ordinal, history);
        cursor.verifyRecords(verification.isNeeded(ordinal, history.term));
        if (ordinal != wholeOrdinal)
        {
            if (NONE != wholeOrdinal)
            {
                verification.passed(wholeOrdinal, history.startPosition / source.segmentLength(), history.term);
            }
            wholeOrdinal = SegmentHeader.LENGTH == frames.offset() ? ordinal : NONE;
        }
        return segment;
    }

    /** Opens a segment that a seek looks into, unless it is open. */
    void attach(final long ordinal, final boolean isKept) throws IOException
    {
        if (null == cursor.segment() || cursor.segment().ordinal != ordinal)
        {
            source.attach(cursor, ordinal, history, endPosition, isKept);
        }
        // Also if it was open: a search among the first frames of segments does not ask.
        cursor.verifyRecords(verification.isNeeded(ordinal, history.term));
    }

    /** Reconciles the position with prunes and truncations since it was taken. Call before reading. */
    JournalReader.@Nullable State reconcile()
    {
        final History now = source.history();
        if (now != history && null != state)
        {
            final History before = history;
            history = now;
            isExamined = false;
            forget(now.term != before.term);
            if (JournalReader.State.FOLLOWING == state)
            {
                state = reconcile(before);
            }
        }

        return state;
    }

    private JournalReader.State reconcile(final History before)
    {
        final long nextSequence = frames.nextSequence();
        if (history.isCutSince(before.number, nextSequence))
        {
            return JournalReader.State.TRUNCATED;
        }
        if (nextSequence < history.startSequence)
        {
            return JournalReader.State.PRUNED;
        }
        if (history.prunedNumber > before.number && nextSequence > 1)
        {
            // It is no longer known which records were truncated meanwhile.
            return JournalReader.State.TRUNCATED;
        }

        frames.follow(history);
        return JournalReader.State.FOLLOWING;
    }

    /** Whether a prune or truncation happened since the last {@link #reconcile()}. */
    boolean isOutdated()
    {
        return source.history() != history;
    }

    boolean isFollowing()
    {
        return JournalReader.State.FOLLOWING == state;
    }

    History history()
    {
        return history;
    }

    /** Whether a sequence is not far after the position, and the position is valid in the given history. */
    boolean isNear(final long sequence, final History now)
    {
        final long distance = sequence - frames.nextSequence();
        return history == now && isFollowing() && distance >= 0 && distance < NEAR;
    }

    /** Begins a search in a history. There is no position until {@link #found}. */
    void begin(final History history)
    {
        if (history != this.history)
        {
            forget(true);
        }
        this.history = history;
        isExamined = false;
        wholeOrdinal = NONE;
        wasEndMissing = false;
        state = null;
    }

    /** Moves to a frame, or to the end of the segment. */
    void moveTo(final long position, final long nextSequence)
    {
        isExamined = false;
        frames.moveTo(history, position, nextSequence);
    }

    /** Ends a search at the position. */
    void found(final JournalReader.State found)
    {
        state = found;
        if (isFollowing() && frames.nextSequence() == history.startSequence)
        {
            wholeOrdinal = frames.position() / source.segmentLength();
        }
    }

    /** Moves to a record whose frame was found in a history. */
    void moveTo(final History found, final long position, final long nextSequence)
    {
        begin(found);
        moveTo(position, nextSequence);
        found(JournalReader.State.FOLLOWING);
    }

    /** Forgets the end, which may be lower now, and maybe the bytes that were read. */
    private void forget(final boolean isAll)
    {
        endPosition = 0;
        endSequence = 0;
        if (isAll)
        {
            close();
        }
    }

    /** Whether there is anything to read at a position. */
    boolean isReadable(final long position)
    {
        return position < endPosition || refresh(position);
    }

    /** Offset up to which a segment may be read, from an offset in it; 0 if nothing may be read there. */
    int limit(final long basePosition, final int offset)
    {
        // The end may be far below the segment, because it is 0 while it is not known.
        return isReadable(basePosition + offset) ? (int)Math.min(source.segmentLength(), endPosition - basePosition) :
            0;
    }

    /** Position up to which the journal may be read, as far as is known here. */
    long endPosition()
    {
        return endPosition;
    }

    /** The highest position up to which the journal may be read, though finding it may take long. */
    long newestEnd()
    {
        final long newest = source.readableEnd(which, Long.MAX_VALUE);
        wasEndMissing |= 0 == newest;
        return newest;
    }

    /**
     * Whether the source had no end at any time since {@link #begin}: it was not known what is durable, or the source
     * is closed, or the journal empty.
     */
    boolean wasEndMissing()
    {
        return wasEndMissing;
    }

    private boolean refresh(final long position)
    {
        // The sequence is read first: it is published after its position, and a reader must not return a record beyond
        // lastSequence().
        endSequence = source.readableSequence(which);
        endPosition = source.readableEnd(which, position);
        wasEndMissing |= 0 == endPosition;
        return position < endPosition;
    }

    /** Sequence of the last record that may be read now. */
    long lastSequence()
    {
        return source.lastSequence(which);
    }

    /** Whether it is known which records may be read. */
    boolean isEndKnown()
    {
        return source.isEndKnown(which);
    }

    /** Whether there is a record, as far as sequences tell. */
    boolean isThere(final long sequence)
    {
        return source.isReadable(sequence, which);
    }

    public Seek seek()
    {
        return seek;
    }

    public long position()
    {
        return frames.position();
    }

    /** Whether the position is between two records of a batch, if the one before it was passed. */
    public boolean isInBatch()
    {
        return frames.isInBatch();
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
    }
}
