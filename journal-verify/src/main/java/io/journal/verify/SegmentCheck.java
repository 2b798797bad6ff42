// SPDX-License-Identifier: Apache-2.0
package io.journal.verify;

import java.util.ArrayList;
import java.util.List;

import io.journal.internal.control.Cut;
import io.journal.internal.segment.Chain;
import io.journal.internal.segment.FrameCursor;
import io.journal.verify.Finding.Place;

/**
 * The part of the log that one segment contains, for {@link JournalVerifier#conclude}.
 */
public final class SegmentCheck
{
    /**
     * A place where reading frame after frame ends, or continues with another record.
     *
     * @param position     of the place.
     * @param sequence     expected there, or -1.
     * @param nextSequence of the frame at which reading continues, or -1 if it does not.
     */
    record Break(long position, long sequence, long nextSequence, Kind kind, String found)
    {
        enum Kind
        {
            /** No valid frame of the log. */
            FRAME,
            /** A valid frame of another sequence. */
            SEQUENCE,
            /** The records before a cut are not the records that it was made after. */
            HISTORY,
            /** Bytes that cannot be read, because of a failing device or missing permissions. */
            READ,
            /** Something that must not be skipped, of a format unknown to this version. */
            FORMAT
        }
    }

    /** The numbers of a watermark frame. */
    record Mark(long number, long term, long previousTerm, long sequence)
    {
    }

    final long ordinal;
    final List<Break> breaks = new ArrayList<>();
    /** Why nothing in the segment can be read, or null. */
    Break unreadable;
    /** Highest durable watermark of the watermark frames of the current term. */
    long forcedPosition;
    /** The first frame, or null if reading did not begin with one. */
    Mark firstMark;
    /** The cut after which the log begins in the segment, or null. */
    Cut firstCut;
    /** A watermark frame of a later term than the state's, or null. */
    Break laterTerm;
    /** Position where the log continues, or ends. */
    long end;
    /** The rule that the next watermark frame there has to match. */
    Chain chain;
    /** Number of valid frames of the log; a batch counts as one. */
    long frames;
    long records;
    /** Times of the first and the last watermark frame; 0 if there is none. */
    long firstTimeMs;
    long lastTimeMs;
    /** Sequence of the first record, or of the next one if there is none; -1 if it is not known. */
    long firstSequence = Place.UNKNOWN;
    /** Sequence that follows the last record that could be read; -1 if it is not known. */
    long nextSequence = Place.UNKNOWN;

    final long startPosition;
    private final int length;

    SegmentCheck(final long ordinal, final long startPosition, final int length)
    {
        this.ordinal = ordinal;
        this.startPosition = startPosition;
        this.length = length;
        end = startPosition;
    }

    /** Adds the watermark frame that a cursor shows. */
    void addMark(final FrameCursor cursor, final long currentTerm)
    {
        lastTimeMs = cursor.markTimeMs();
        firstTimeMs = 0 == firstTimeMs ? lastTimeMs : firstTimeMs;
        if (0 == frames && breaks.isEmpty())
        {
            firstMark = new Mark(
                cursor.markNumber(), cursor.markTerm(), cursor.markPreviousTerm(), cursor.sequence());
        }
        addForced(cursor, currentTerm);
        reach(cursor.sequence());
    }

    /** Adds what the watermark frame that a cursor shows says of the durable end. */
    void addForced(final FrameCursor cursor, final long currentTerm)
    {
        // Watermarks of other terms add nothing to the state; after the end, a writer that lost its lock may have
        // written them.
        if (currentTerm == cursor.markTerm())
        {
            forcedPosition = Math.max(forcedPosition, cursor.forcedPosition());
        }
    }

    /** Adds a record, or the records of a batch. */
    void addRecords(final long from, final long to)
    {
        records += to - from;
        reach(from);
        nextSequence = to;
    }

    private void reach(final long sequence)
    {
        frames++;
        firstSequence = Place.UNKNOWN == firstSequence ? sequence : firstSequence;
        nextSequence = sequence;
    }

    void skip(final long position, final long sequence, final long next, final Break.Kind kind, final String found)
    {
        breaks.add(new Break(position, sequence, next, kind, found));
        nextSequence = Place.UNKNOWN == next ? nextSequence : next;
    }

    /** Whether the rest of the segment, up to its end, could not be read. */
    boolean endsUnread()
    {
        return !breaks.isEmpty() && Place.UNKNOWN == breaks.get(breaks.size() - 1).nextSequence;
    }

    /** Whether this is an empty segment that was made in advance. */
    boolean isPrepared()
    {
        return 0 == frames && null == unreadable && null == laterTerm &&
            (breaks.isEmpty() || 1 == breaks.size() && breaks.get(0).found.startsWith("nothing"));
    }

    /** Position at which the last frame that could be read ends. */
    long endPosition()
    {
        return Math.min(end, startPosition + length);
    }
}
