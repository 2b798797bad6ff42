// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.segment;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import org.jspecify.annotations.Nullable;

/**
 * Walks from frame to frame of a log, over segments and cuts, to where no frame follows. The caller decides what that
 * means: for an opening the end, for a follower "not yet", for a reader, a backup or the verifier corruption. For one
 * thread at a time.
 */
public final class FrameWalk implements AutoCloseable
{
    /** Why {@link #next} has returned. */
    public enum Stop
    {
        /** At a record, which the cursor shows, and {@link #pass()} passes. */
        RECORD,
        /** At the limit, or after it. */
        LIMIT,
        /** No frame of the log follows. */
        END
    }

    /** Opens the segments. */
    public interface Source
    {
        /** Opens a segment, for the walk to close; null if it is not there. */
        @Nullable
        Segment open(long ordinal) throws IOException;
    }

    private final Source source;
    private final Layout layout;
    private final FrameCursor cursor;
    // Whether limits are ends that a writer has published: nothing after a limit is read, and no batch crosses it.
    private final boolean isPublished;
    private final Chain chain = new Chain();
    private History history;
    private int nextCut;
    private long ordinal;
    private int offset;
    private long nextSequence;
    // Whether the record before the position was passed, and the next one is of the same batch.
    private boolean isInBatch;
    private long durable;
    private FrameCursor.Verdict verdict = FrameCursor.Verdict.ABSENT;

    /** A walk that finds out where the log ends. */
    public FrameWalk(final Source source, final Layout layout, final Window window)
    {
        this(source, layout, window, false);
    }

    /**
     * A walk.
     *
     * @param isPublished whether it reads up to ends that a writer has published.
     */
    public FrameWalk(final Source source, final Layout layout, final Window window, final boolean isPublished)
    {
        this.source = source;
        this.layout = layout;
        this.isPublished = isPublished;
        cursor = new FrameCursor(window);
    }

    /**
     * Moves to a position of the log, and forgets the bytes that were read.
     *
     * @param nextSequence of the record there, or {@link FrameCursor#ANY_SEQUENCE} at the beginning of a segment.
     */
    public void start(final History history, final long position, final long nextSequence)
    {
        cursor.close();
        moveTo(history, position, nextSequence);
    }

    /** As {@link #start}, but the cursor keeps its frame if that is of the same segment. */
    public void moveTo(final History history, final long position, final long nextSequence)
    {
        this.history = history;
        this.nextSequence = nextSequence;
        durable = 0;
        goTo(position);
        chain.start(history);
        if (position() <= history.firstPosition())
        {
            goTo(history.firstPosition());
            this.nextSequence = history.startSequence;
            chain.startAtBeginning(history);
        }

        nextCut = history.cutsEndingBefore(position());
        final Cut cut = nextCut();
        if (null == cut)
        {
            chain.startInCurrentTerm(history);
        }
        else if (cut.from() < position())
        {
            cross(cut);
        }
    }

    /** Continues in another history, in which no passed record is cut and no later record is pruned. */
    public void follow(final History next)
    {
        final Cut cut = next.cutAt(position());
        final boolean wasInBatch = isInBatch;
        // Control frames after the last record may be cut.
        moveTo(next, null == cut ? position() : cut.from(), nextSequence);
        isInBatch = wasInBatch && null == cut;
    }

    /**
     * Finds the next record, and passes the control frames before it.
     *
     * @param limit position at which to stop.
     * @throws CorruptJournalException if a cut does not match the records before it, or a batch is not whole.
     */
    public Stop next(final long limit) throws IOException
    {
        while (position() < limit)
        {
            final Cut cut = nextCut();
            if (null != cut && position() >= cut.from())
            {
                checkBatchIsWhole();
                checkCut(cut);
                cross(cut);
            }
            else if (!isFrameThere(frameLimit(limit)))
            {
                return Stop.END;
            }
            else if (!cursor.isControl())
            {
                return Stop.RECORD;
            }
            else
            {
                checkBatchIsWhole();
                cursor.checkKnown();
                pass();
            }
        }

        return Stop.LIMIT;
    }

    /** Passes the record, or another frame that the cursor shows. */
    public void pass()
    {
        passTo(cursor.nextOffset(), cursor.nextSequence(), cursor.isMore());
    }

    /**
     * Passes records that follow one another, up to an offset in the segment.
     *
     * @param isInBatch whether the next record is of the same batch as the last passed record.
     */
    public void passTo(final int offset, final long nextSequence, final boolean isInBatch)
    {
        this.nextSequence = nextSequence;
        this.isInBatch = isInBatch;
        this.offset = offset;
        if (layout.segmentLength - offset < FrameHeader.LENGTH)
        {
            ordinal++;
            this.offset = SegmentHeader.LENGTH;
            cursor.close();
        }
    }

    /** Sets the sequence of the next record where there is no position. */
    public void expect(final long sequence)
    {
        nextSequence = sequence;
    }

    /** Offset up to which the frames in the segment may be read, up to a limit. */
    public int frameLimit(final long limit)
    {
        final Cut cut = nextCut();
        final long end = null == cut ? Long.MAX_VALUE : cut.from();
        final long readable = (isPublished ? Math.min(limit, end) : end) - layout.position(ordinal, 0);
        return (int)Math.max(0, Math.min(layout.segmentLength, readable));
    }

    private @Nullable Cut nextCut()
    {
        return nextCut < history.cuts().size() ? history.cuts().get(nextCut) : null;
    }

    /** A batch ends before a control frame, before the end of a segment, and before a cut. */
    private void checkBatchIsWhole()
    {
        if (isInBatch)
        {
            final boolean isAtStart = SegmentHeader.LENGTH == offset;
            final String file = JournalFiles.segment(isAtStart ? ordinal - 1 : ordinal);
            final int end = isAtStart ? layout.segmentLength : offset;
            throw new CorruptJournalException(
                "batch without its last record: file=" + file + ", offset=" + end + ", sequence=" + nextSequence +
                    "; restore the file from a backup",
                null, file, end, nextSequence);
        }
    }

    /** Position at which the next frame is expected. */
    public long position()
    {
        return layout.position(ordinal, offset);
    }

    public int offset()
    {
        return offset;
    }

    /** Position of the beginning of the segment. */
    public long basePosition()
    {
        return layout.position(ordinal, 0);
    }

    /** Whether the position is between two records of a batch, if the one before it was passed. */
    public boolean isInBatch()
    {
        return isInBatch;
    }

    /** Sequence of the next record. */
    public long nextSequence()
    {
        return nextSequence;
    }

    /** Term of the record before the position; {@link Term#NONE} if there is none, or if it is not known. */
    public long lastTerm()
    {
        return chain.termBefore(nextSequence);
    }

    /** The rule that the next watermark frame has to match. */
    public Chain chain()
    {
        return chain;
    }

    /** The highest durable watermark of the frames that were passed. */
    public long durable()
    {
        return durable;
    }

    public FrameCursor cursor()
    {
        return cursor;
    }

    /** Whether a valid frame of another sequence stands where the walk has ended. */
    public boolean isOutOfSequence()
    {
        return FrameCursor.Verdict.UNEXPECTED == verdict;
    }

    /**
     * Describes what was found where the walk has ended. Computed on demand, because a follower, whose walk ends often,
     * rarely needs it.
     */
    public String found()
    {
        if (null == cursor.segment())
        {
            return "file=" + JournalFiles.segment(ordinal) + ", offset=0, sequence=" + nextSequence +
                ", expected=a segment, found=none";
        }
        return FrameCursor.Verdict.VALID == verdict ?
            "file=" + cursor.segment().name() + ", offset=" + offset + ", sequence=" + cursor.sequence() +
                ", expected=a frame that follows, found=one of another term" :
            cursor.describe(verdict, cursor.expectedSequence());
    }

    /** The exception for a frame that is not the next frame, where one is required. */
    public CorruptJournalException corrupt()
    {
        final String what = FrameCursor.Verdict.VALID != verdict ? "damaged record" :
            cursor.isMark(verdict) ? "frame of another term" : "no watermark frame begins a term";
        return new CorruptJournalException(
            what + ": " + found() + (FrameCursor.Verdict.VALID == verdict ? "; the file may be an older copy" : "") +
                "; restore the file from a backup",
            null, JournalFiles.segment(ordinal), offset, nextSequence);
    }

    /** The position in words. */
    public String place()
    {
        return "file=" + JournalFiles.segment(ordinal) + ", offset=" + offset + ", sequence=" + nextSequence;
    }

    /**
     * Forgets the bytes that were read, which may be overwritten since. A segment without a frame may be another file
     * by now.
     */
    public void readAgain()
    {
        if (SegmentHeader.LENGTH == offset)
        {
            cursor.close();
        }
        else
        {
            cursor.forget();
        }
    }

    @Override
    public void close()
    {
        cursor.closeAndShrink();
    }

    private void goTo(final long position)
    {
        final long place = layout.place(position);
        ordinal = layout.ordinal(place);
        offset = layout.offset(place);
        isInBatch = false;
        if (null != cursor.segment() && cursor.segment().ordinal != ordinal)
        {
            cursor.close();
        }
    }

    private void cross(final Cut cut)
    {
        nextCut++;
        goTo(cut.to());
        nextSequence = cut.sequence();
        chain.cross(cut);
    }

    private void checkCut(final Cut cut)
    {
        // If the log starts within a cut, the walk has passed nothing.
        final boolean isAtStart = cut.contains(history.startPosition + SegmentHeader.LENGTH);
        final boolean isThere = position() == cut.from() && chain.isBefore(cut, nextSequence);
        if (!isAtStart && FrameCursor.ANY_SEQUENCE != nextSequence && !isThere)
        {
            throw new CorruptJournalException(
                "not the records after which something was truncated: " + place() + ", expected=position " +
                    cut.from() + ", sequence " + cut.sequence() + ", found=position " + position() +
                    "; the file may be an older copy: restore the files from a backup",
                null, JournalFiles.segment(ordinal), offset, nextSequence);
        }
    }

    private boolean isFrameThere(final int limit) throws IOException
    {
        if (null == cursor.segment())
        {
            final Segment segment = source.open(ordinal);
            if (null == segment)
            {
                verdict = FrameCursor.Verdict.ABSENT;
                return false;
            }
            cursor.attach(segment);
        }

        verdict = isPublished ? cursor.examine(offset, limit, nextSequence) :
            cursor.examineBatch(offset, limit, nextSequence);
        if (FrameCursor.Verdict.VALID != verdict)
        {
            return false;
        }
        if (cursor.isMark(verdict) ? !chain.pass(cursor) : chain.isTermDue())
        {
            return false;
        }
        if (cursor.isMark(verdict))
        {
            durable = Math.max(durable, cursor.forcedPosition());
        }
        return true;
    }
}
