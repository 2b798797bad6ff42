package io.journal.internal.read;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;

/**
 * A position between two records of a journal: that of a frame, and the record that is next. For one thread at a time.
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
    long nextSequence;
    // Offset up to which the segment, which is open, may be read; 0 if that has to be found out again.
    int limit;
    // Whether the frame at the position was examined, and holds the next record.
    boolean isExamined;
    // Whether the record before the position was passed, and the next one is of the same batch.
    boolean isInBatch;
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

    final void goTo(final int offset)
    {
        this.offset = offset;
        isExamined = false;
        isInBatch = false;
    }

    /** Moves behind a frame of the segment: to its end if there is no room for another one. */
    final void goBehind(final int end, final long nextSequence, final boolean isInBatch)
    {
        goTo(segmentLength - end < FrameHeader.LENGTH ? segmentLength : end, nextSequence);
        this.isInBatch = isInBatch;
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

    /** Whether the position is between two records of a batch, if the one before it was passed. */
    public final boolean isInBatch()
    {
        return isInBatch;
    }

    final String place()
    {
        return "file=" + JournalFiles.segment(basePosition / segmentLength) + ", offset=" + offset + ", sequence=" +
            nextSequence;
    }
}
