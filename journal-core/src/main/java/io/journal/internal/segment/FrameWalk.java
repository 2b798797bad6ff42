package io.journal.internal.segment;

import java.io.IOException;
import java.util.List;

import io.journal.CorruptJournalException;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import org.jspecify.annotations.Nullable;

/**
 * Walks from frame to frame of a log, over segments and cuts, to where no frame follows. What that means, the caller
 * decides: for an opening it is the end, for a follower "not yet", for a backup or the verifier corruption. For one
 * thread at a time.
 */
public final class FrameWalk implements AutoCloseable
{
    /** Why {@link #next} has returned. */
    public enum Stop
    {
        /** At a record, which the cursor shows, and {@link #pass()} passes. */
        RECORD,
        /** At the limit, or behind it. */
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
    private final Chain chain = new Chain();
    private History history;
    private int nextCut;
    private long ordinal;
    private int offset;
    private long nextSequence;
    private long durable;
    private FrameCursor.Verdict verdict = FrameCursor.Verdict.ABSENT;

    public FrameWalk(final Source source, final Layout layout, final Window window)
    {
        this.source = source;
        this.layout = layout;
        cursor = new FrameCursor(window);
    }

    /**
     * Moves to a position of the log.
     *
     * @param nextSequence of the record there, or {@link FrameCursor#ANY_SEQUENCE} at the beginning of a segment.
     */
    public void start(final History history, final long position, final long nextSequence)
    {
        cursor.close();
        this.history = history;
        this.nextSequence = nextSequence;
        durable = 0;
        goTo(position);
        chain.start(history);
        if (position() <= history.firstPosition())
        {
            goTo(history.startPosition + SegmentHeader.LENGTH);
            this.nextSequence = history.startSequence;
            chain.startAtBeginning(history);
        }

        final List<Cut> cuts = history.cuts();
        nextCut = 0;
        while (nextCut < cuts.size() && cuts.get(nextCut).to() < position())
        {
            nextCut++;
        }
        if (nextCut == cuts.size())
        {
            chain.startInCurrentTerm(history);
        }
        else if (cuts.get(nextCut).from() < position())
        {
            cross(cuts.get(nextCut));
        }
    }

    /**
     * Finds the next record, and passes the control frames before it.
     *
     * @param limit position at which to stop.
     * @throws CorruptJournalException  if a cut was not made behind what is there.
     */
    public Stop next(final long limit) throws IOException
    {
        while (position() < limit)
        {
            final Cut cut = nextCut < history.cuts().size() ? history.cuts().get(nextCut) : null;
            if (null != cut && position() >= cut.from())
            {
                checkCut(cut);
                cross(cut);
            }
            else if (!isFrameThere(null == cut ? layout.segmentLength : limitBefore(cut)))
            {
                return Stop.END;
            }
            else if (!cursor.isControl())
            {
                return Stop.RECORD;
            }
            else
            {
                cursor.checkKnown();
                pass();
            }
        }

        return Stop.LIMIT;
    }

    /** Passes the record, or another frame that the cursor shows. */
    public void pass()
    {
        nextSequence = cursor.nextSequence();
        offset = cursor.nextOffset();
        if (offset >= layout.segmentLength)
        {
            goTo(layout.position(ordinal + 1, 0));
        }
    }

    /** Position at which the next frame is expected. */
    public long position()
    {
        return layout.position(ordinal, offset);
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

    /** What the next watermark frame has to match. */
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

    /** What was found where the walk has ended. Only then: a follower, which ends often, mostly does not ask. */
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

    /** Forgets what was read: it may have been written since. A segment without a frame may be another file by now. */
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
        if (ordinal != layout.ordinal(place))
        {
            cursor.close();
        }
        ordinal = layout.ordinal(place);
        offset = layout.offset(place);
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
        // Where the log starts within a cut, the walk has passed nothing.
        final boolean isAtStart = cut.contains(history.startPosition + SegmentHeader.LENGTH);
        final boolean isThere = position() == cut.from() && chain.isBefore(cut, nextSequence);
        if (!isAtStart && FrameCursor.ANY_SEQUENCE != nextSequence && !isThere)
        {
            throw new CorruptJournalException(
                "not the records after which something was truncated: file=" + JournalFiles.segment(ordinal) +
                    ", offset=" + offset + ", sequence=" + nextSequence + ", expected=position " + cut.from() +
                    ", sequence " + cut.sequence() + ", found=position " + position() +
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

        verdict = cursor.examineBatch(offset, limit, nextSequence);
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

    /** Offset up to which the frames before a cut may be read. */
    private int limitBefore(final Cut cut)
    {
        return cut.isEmpty() ? layout.segmentLength :
            (int)Math.min(layout.segmentLength, cut.from() - layout.position(ordinal, 0));
    }
}
