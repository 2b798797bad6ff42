package io.journal.internal.read;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;

/**
 * A position between two records of a journal: that of a frame, and the record in it that is next. They differ in the
 * middle of a batch. For one thread at a time.
 */
abstract class WalkPosition
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

    final int segmentLength;
    long basePosition;
    int offset;
    long frameSequence;
    long nextSequence;
    // Offset up to which the segment, which is open, may be read; 0 if that has to be found out again.
    int limit;
    // Whether the frame at the position was examined, and holds the next record.
    boolean isExamined;
    // Whether each record of the segment before the position was passed.
    boolean isWhole;

    WalkPosition(final int segmentLength)
    {
        this.segmentLength = segmentLength;
    }

    /** Moves to a frame in the segment that was entered. */
    final void goTo(final int offset, final long nextSequence)
    {
        this.nextSequence = nextSequence;
        goTo(offset);
    }

    /** Moves to a record in a frame of the segment that was entered. */
    final void goTo(final int offset, final long frameSequence, final long nextSequence)
    {
        goTo(offset, frameSequence);
        this.nextSequence = nextSequence;
    }

    final void goTo(final int offset)
    {
        this.offset = offset;
        frameSequence = nextSequence;
        isExamined = false;
    }

    /** Moves behind a frame of the segment: to its end if there is no room for another one. */
    final void goBehind(final int end, final long nextSequence)
    {
        goTo(segmentLength - end < FrameHeader.LENGTH ? segmentLength : end, nextSequence);
    }

    public final long nextSequence()
    {
        return nextSequence;
    }

    public final long position()
    {
        return basePosition + offset;
    }

    /** Position of the beginning of the segment. */
    final long basePosition()
    {
        return basePosition;
    }

    /** Whether the position is between two records of a batch. */
    public final boolean isInBatch()
    {
        return nextSequence > frameSequence;
    }

    final String place()
    {
        return "file=" + JournalFiles.segment(basePosition / segmentLength) + ", offset=" + offset + ", sequence=" +
            nextSequence;
    }
}
