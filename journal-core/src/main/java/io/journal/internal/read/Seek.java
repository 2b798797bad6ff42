// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;
import io.journal.internal.segment.FrameWalk;
import org.jspecify.annotations.Nullable;

/**
 * Moves a {@link RecordWalk}: searches the first watermark frames of segments, then the watermark frames in one
 * segment, then frame by frame. Restarts after a concurrent prune or truncation. If a search fails, the walk has no
 * position until another one succeeds.
 */
public final class Seek
{
    private static final int NONE = -1;
    // The index may have no entry before these records.
    private static final int FIRST_RECORDS = 128;
    // For reading backwards: how much is loaded before a position, once less than the second length is loaded.
    // Watermark frames are half as far apart.
    private static final int BACK_LENGTH = 128 * 1024;
    private static final int NEAR_LENGTH = 4 * 1024;
    private static final int MAX_STEPS = 16;

    private final RecordWalk walk;
    private final FrameWalk frames;
    private final FrameCursor cursor;
    private final ReadSource source;
    private final int segmentLength;
    // The journal's state in which the search was begun.
    private History state;

    Seek(final RecordWalk walk, final ReadSource source)
    {
        this.walk = walk;
        this.source = source;
        frames = walk.frames;
        cursor = walk.cursor;
        segmentLength = source.segmentLength();
    }

    /**
     * Moves to a record. If it is pruned or truncated while it is searched for, the walk's state shows that. Frames
     * before the record are not verified, so damaged frames do not keep it from being found.
     *
     * @throws IllegalArgumentException if there is no such record; the walk has not moved.
     * @throws JournalException         if it is not known what is durable, so that there may be such a record; the walk
     *                                  has not moved, unless that became unknown during the search.
     */
    public void to(final long sequence) throws IOException
    {
        final History before = source.history();
        checkRange(sequence, before);
        if (!findKnown(sequence, before))
        {
            search(sequence, before, false);
        }
    }

    /**
     * As {@link #to}, but verifies each frame from a watermark frame to the record, and does not pass control frames
     * right before it. For a truncation, which must not remove a byte too many.
     */
    public void toVerified(final long sequence) throws IOException
    {
        final History before = source.history();
        checkRange(sequence, before);
        search(sequence, before, true);
    }

    /** Moves to a record; false if there is no record with this sequence now. */
    boolean toRecord(final long sequence) throws IOException
    {
        final History before = source.history();
        if (sequence < before.startSequence || !walk.isThere(sequence))
        {
            return false;
        }

        if (!findKnown(sequence, before))
        {
            search(sequence, before, false);
        }
        return walk.isFollowing();
    }

    /**
     * As {@link #toRecord}, to the record before the position: in the nearby parts of the log that lead there, so that
     * damage before the record does not matter.
     */
    boolean toPrevious() throws IOException
    {
        state = walk.history();
        final long target = frames.nextSequence() - 1;
        long position = frames.position();
        boolean isNear = true;
        while (isNear && position > state.firstPosition())
        {
            final Cut cut = state.cutBefore(position);
            if (null != cut && cut.to() == position)
            {
                position = cut.from();
                continue;
            }

            final boolean isAtStart = SegmentHeader.LENGTH == (position & (segmentLength - 1));
            final long basePosition = (position & -segmentLength) - (isAtStart ? segmentLength : 0);
            final int limit = isAtStart ? segmentLength : (int)(position - basePosition);
            final int first = (int)Math.max(SegmentHeader.LENGTH, null == cut ? 0 : cut.to() - basePosition);
            walk.attach(basePosition / segmentLength, false);
            final int offset = offsetBefore(first, limit, target);
            if (offset >= 0 && !walk.isOutdated())
            {
                walk.moveTo(state, basePosition + offset, target);
                return true;
            }
            // After a prune or truncation an earlier segment would not help either, and the caller has to reconcile
            // first.
            isNear = limit - first <= BACK_LENGTH && !walk.isOutdated();
            position = basePosition + first;
        }
        final History before = state;
        // The search may have begun again in a newer history, which the caller has to reconcile first.
        return !walk.isOutdated() && toRecord(target) && walk.history() == before;
    }

    /**
     * Offset of the record before a limit in the segment, or where it should be; -1 if it is not near.
     *
     * @param first offset of the first frame of the part of the log that ends at the limit.
     */
    private int offsetBefore(final int first, final int limit, final long target) throws IOException
    {
        final int from = Math.max(first, limit - BACK_LENGTH);
        if (!cursor.isLoaded(Math.max(from, limit - NEAR_LENGTH), limit))
        {
            cursor.ensure(from, limit - from, limit);
        }
        final long basePosition = cursor.segment().basePosition;
        final long known = source.positions().find(target, target - state.startSequence);
        final int start = known >= basePosition + from && known < basePosition + limit ? (int)(known - basePosition) :
            FrameSearch.watermark(cursor, from, limit);
        if (start < 0 && from > first)
        {
            // Happens within a long batch.
            return NONE;
        }
        final int offset = start < 0 ? NONE : hop(start, limit, target);
        // Something is damaged, or the segment begins after the record.
        return offset >= 0 && offset < limit ? offset :
            FrameSearch.record(cursor, Math.max(start, from), limit, target);
    }

    /** Moves to the first record that may be read. */
    public void toStart() throws IOException
    {
        search(() -> find(state.startSequence, false));
    }

    /** Moves after the last record that may be read. */
    public void toEnd() throws IOException
    {
        search(() -> find(endSequence(), true));
    }

    /** Moves after the last watermark frame that is not later than a time, in epoch milliseconds. */
    public void toTime(final long timeMs) throws IOException
    {
        search(() -> findTime(timeMs));
    }

    private void checkRange(final long sequence, final History state)
    {
        if (!isInRange(sequence, state))
        {
            // A truncation may begin or end meanwhile.
            final boolean isKnown = walk.isEndKnown();
            if (!isInRange(sequence, state))
            {
                final boolean isWritten = sequence >= state.startSequence &&
                    sequence <= source.lastSequence(JournalReader.Limit.WRITTEN) + 1;
                if (isWritten && !(isKnown && walk.isEndKnown() && source.history() == state))
                {
                    throw ReadSource.durabilityUnknown(sequence);
                }
                throw new IllegalArgumentException(
                    "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + state.startSequence +
                        ", lastSequence=" + walk.lastSequence());
            }
        }
    }

    private boolean isInRange(final long sequence, final History state)
    {
        return sequence >= state.startSequence && sequence <= walk.lastSequence() + 1;
    }

    /**
     * Moves to a record from the walk's own position, if that is near, or from the nearest position in the index.
     *
     * @return false if it was not found that way; a search finds out why.
     */
    private boolean findKnown(final long sequence, final History now) throws IOException
    {
        final long known = source.positions().find(sequence, sequence - now.startSequence);
        final boolean isFirst = 0 == known && sequence - now.startSequence < FIRST_RECORDS;
        final long position =
            walk.isNear(sequence, now) ? frames.position() : isFirst ? now.firstPosition() : known;
        // The index does not know what was pruned or truncated.
        if (position < now.startPosition + SegmentHeader.LENGTH || null != now.cutAt(position))
        {
            return false;
        }

        state = now;
        walk.begin(now);
        try
        {
            walk.attach(position / segmentLength, true);
            final boolean isFound = hopTo((int)(position & (segmentLength - 1)), sequence) ||
                hopInNext(position, sequence);
            if (isFound && !walk.isOutdated())
            {
                walk.found(JournalReader.State.FOLLOWING);
                return true;
            }
        }
        catch (final CorruptJournalException | IOException ex)
        {
            // The search reports the damage, unless the record is in another segment, or a prune or truncation explains
            // it.
            return false;
        }
        return false;
    }

    /** Moves to one of the first records of the segment after a position: no entry of the index is in that segment. */
    private boolean hopInNext(final long position, final long sequence) throws IOException
    {
        final long next = (position & -segmentLength) + segmentLength;
        if (!walk.isReadable(next + SegmentHeader.LENGTH) || state.isDead(next, segmentLength))
        {
            return false;
        }

        walk.attach(next / segmentLength, true);
        return hopTo(SegmentHeader.LENGTH, sequence);
    }

    private void search(final long sequence, final History before, final boolean isVerified) throws IOException
    {
        search(() ->
        {
            frames.expect(sequence);
            if (sequence < state.startSequence)
            {
                return JournalReader.State.PRUNED;
            }
            return state.isCutSince(before.number, sequence) && sequence > walk.lastSequence() + 1 ?
                JournalReader.State.TRUNCATED : find(sequence, isVerified);
        });
    }

    /** Returns the target's state, or null if it was not reached. */
    private interface Search
    {
        JournalReader.@Nullable State run() throws IOException;
    }

    private void search(final Search search) throws IOException
    {
        JournalReader.State found;
        do
        {
            state = source.history();
            walk.begin(state);
            found = attempt(search);
        }
        while (walk.isOutdated());

        final boolean isAtStart =
            frames.nextSequence() == state.startSequence && frames.position() <= state.firstPosition();
        if (walk.wasEndMissing() && (JournalReader.State.FOLLOWING == found ? !isAtStart : null == found))
        {
            // Without a known end, the search has taken the first segment for the last.
            throw ReadSource.durabilityUnknown(frames.nextSequence());
        }
        if (null == found)
        {
            throw new JournalException("cannot read on to the record: reached " + frames.place());
        }
        walk.found(found);
    }

    /** Runs a search. A failure under a concurrent prune or truncation is no error but a reason to retry. */
    private JournalReader.@Nullable State attempt(final Search search) throws IOException
    {
        try
        {
            return search.run();
        }
        catch (final CorruptJournalException | IOException ex)
        {
            if (walk.isOutdated())
            {
                return null;
            }
            throw ex;
        }
    }

    private JournalReader.@Nullable State find(final long sequence, final boolean isVerified) throws IOException
    {
        if (sequence == state.startSequence)
        {
            final long first = state.firstPosition();
            if (walk.isReadable(first))
            {
                // Attached now, so that a missing segment is reported here.
                cursor.close();
                walk.attach(first / segmentLength, false);
            }
            walk.moveTo(first, sequence);
            return JournalReader.State.FOLLOWING;
        }

        final long ordinal = findSegment(SegmentIndex.Key.SEQUENCE, sequence);
        if (!isVerified && interpolate(ordinal, sequence))
        {
            return JournalReader.State.FOLLOWING;
        }
        final LogRange range = goToMark(ordinal, SegmentIndex.Key.SEQUENCE, sequence);
        if (range.from() >= range.limit())
        {
            walk.moveTo(cursor.segment().basePosition + range.beginning(), sequence);
        }
        else if (!isVerified)
        {
            final int from = cursor.offset();
            if (hopTo(from, sequence) || moveTo(FrameSearch.record(cursor, from, range.limit(), sequence), sequence))
            {
                return JournalReader.State.FOLLOWING;
            }
            // Reports the damage.
            goToMark(ordinal, SegmentIndex.Key.SEQUENCE, sequence);
        }

        while (frames.nextSequence() < sequence && walk.next())
        {
            walk.pass();
        }
        return frames.nextSequence() == sequence ? JournalReader.State.FOLLOWING : null;
    }

    /**
     * Moves to a record in a segment from a valid frame shortly before it. Looks for that frame where the record would
     * be if all records had the same length, so mostly touches a few pages only.
     *
     * @return false if it was not found that way; a search among watermark frames finds out why.
     */
    private boolean interpolate(final long ordinal, final long target) throws IOException
    {
        walk.attach(ordinal, true);
        final LogRange range = rangeOf(target);
        int low = range.from();
        int high = range.limit();
        if (high - low < FrameHeader.LENGTH ||
            FrameCursor.Verdict.VALID != cursor.examine(low, high, FrameCursor.ANY_SEQUENCE))
        {
            return false;
        }

        checkTerm(low);
        long lowSequence = cursor.sequence();
        double length = meanLength();
        for (int i = 0; i < MAX_STEPS && high - low > NEAR_LENGTH; i++)
        {
            final double distance = (target - lowSequence) * length;
            if (distance < NEAR_LENGTH)
            {
                break;
            }
            // Bisects in every fourth step, in case interpolation does not help, as with records of very different
            // lengths.
            final double guess = i % 4 == 3 ? (high - low) * 0.5 : distance - NEAR_LENGTH * 0.5;
            final int from =
                low + FrameHeader.align((int)Math.max(FrameHeader.LENGTH, Math.min(guess, high - low - 1)));
            final int found = FrameSearch.near(cursor, from, high, lowSequence, lowSequence + high - low);
            if (found < 0 || cursor.sequence() > target)
            {
                high = from;
            }
            if (found >= 0 && cursor.sequence() != lowSequence)
            {
                length = (double)(found - low) / (cursor.sequence() - lowSequence);
            }
            if (found >= 0 && cursor.sequence() <= target)
            {
                low = found;
                lowSequence = cursor.sequence();
            }
        }
        return hopTo(low, target);
    }

    /** Mean length of a record of the journal, with its frame. */
    private double meanLength()
    {
        return (double)(walk.endPosition() - state.startPosition) / Math.max(1, endSequence() - state.startSequence);
    }

    /** Moves to a record, or to the end, if frame headers lead there. */
    private boolean hopTo(final int from, final long target) throws IOException
    {
        return moveTo(hop(from, segmentLength, target), target);
    }

    private boolean moveTo(final int offset, final long target)
    {
        if (offset >= 0)
        {
            walk.moveTo(cursor.segment().basePosition + offset, target);
        }
        return offset >= 0;
    }

    /**
     * Follows the headers of frames to a record's header, or to the end if the record would be next there. Checks
     * sequences, but few checksums: the frame itself is verified when it is read.
     *
     * @param limit offset in the walk's segment, at which a frame ends.
     * @return offset of the frame, or the limit; -1 if the headers do not lead there.
     */
    private int hop(final int from, final int limit, final long target) throws IOException
    {
        final long basePosition = cursor.segment().basePosition;
        final PositionIndex.Table index = source.positions().table(
            target - state.startSequence, basePosition + from - state.startPosition);
        final Cut cut = state.cutEndingAfter(basePosition + from);
        final int cutOffset = (int)Math.min(
            limit, null == cut ? Long.MAX_VALUE : Math.max(0, cut.from() - basePosition));
        int offset = from;
        long expected = FrameCursor.ANY_SEQUENCE;
        while (offset < cutOffset && walk.isReadable(basePosition + offset))
        {
            final int readable = Math.min(cutOffset, walk.limit(basePosition, offset));
            final long next = cursor.peek(offset, readable, expected);
            // A frame that ends after the readable bytes has a damaged length.
            if (next < 0 || cursor.sequence() > target || cursor.length() > readable - offset)
            {
                return NONE;
            }
            // Without a frame before it to compare with, a sequence may be damaged.
            final boolean isVague = FrameCursor.ANY_SEQUENCE == expected;
            if (isVague && (next > target || SegmentHeader.LENGTH == offset) &&
                FrameCursor.Verdict.VALID != cursor.verify(offset, readable, FrameCursor.ANY_SEQUENCE))
            {
                return NONE;
            }
            if (next > target)
            {
                index.put(target, basePosition + offset);
                return offset;
            }
            if (!cursor.isControl())
            {
                index.put(cursor.sequence(), basePosition + offset);
            }
            expected = next;
            offset = cursor.nextOffset();
        }

        return expected == target ? offset : NONE;
    }

    private JournalReader.State findTime(final long timeMs) throws IOException
    {
        final LogRange range =
            goToMark(findSegment(SegmentIndex.Key.TIME, timeMs), SegmentIndex.Key.TIME, timeMs);
        final int limit = range.limit();
        if (range.from() >= limit)
        {
            walk.moveTo(cursor.segment().basePosition + range.beginning(), endSequence());
            return JournalReader.State.FOLLOWING;
        }

        int offset = cursor.nextOffset();
        while (offset < limit)
        {
            final long sequence = cursor.nextSequence();
            final FrameCursor.Verdict verdict = cursor.examine(offset, limit, sequence);
            if (FrameCursor.Verdict.VALID != verdict)
            {
                if (sequence > walk.lastSequence() + 1)
                {
                    // A truncation lowers the sequences, and may raise the end, before its history is published.
                    break;
                }
                throw cursor.damaged(verdict, sequence);
            }
            if (cursor.isMark(verdict))
            {
                if (cursor.markTimeMs() > timeMs)
                {
                    break;
                }
                walk.moveTo(cursor.segment().basePosition + offset, cursor.sequence());
            }
            offset = cursor.nextOffset();
        }
        return JournalReader.State.FOLLOWING;
    }

    private long endSequence()
    {
        return Math.max(state.startSequence, walk.lastSequence() + 1);
    }

    private long findSegment(final SegmentIndex.Key key, final long wanted) throws IOException
    {
        final long first = state.startPosition / segmentLength;
        final long last = Math.max(first, (walk.newestEnd() - SegmentHeader.LENGTH - 1) / segmentLength);
        final double distance = SegmentIndex.Key.TIME == key ? 0 : (wanted - state.startSequence) * meanLength();
        return source.index().find(
            key, wanted, first, last, first + (long)(distance / segmentLength), state, cursor);
    }

    /** The part of the segment that holds a record. */
    private LogRange rangeOf(final long sequence) throws IOException
    {
        final long basePosition = cursor.segment().basePosition;
        return LogRange.find(
            state, basePosition, walk.limit(basePosition, SegmentHeader.LENGTH),
            (cut) -> cut.sequence() <= sequence);
    }

    /**
     * Moves to a watermark frame before the target, near enough for a cheap scan.
     *
     * @return the part of the segment that holds the target; it ends at or before its beginning if there is none.
     */
    private LogRange goToMark(final long ordinal, final SegmentIndex.Key key, final long wanted) throws IOException
    {
        cursor.close();
        walk.attach(ordinal, false);
        final long basePosition = cursor.segment().basePosition;
        final LogRange range = SegmentIndex.Key.SEQUENCE == key ? rangeOf(wanted) : LogRange.find(
            state, basePosition, walk.limit(basePosition, SegmentHeader.LENGTH), (cut) -> timeBehind(cut) <= wanted);
        final int mark = range.markBefore(cursor, key, wanted);
        if (mark < range.limit())
        {
            cursor.require(mark, range.limit(), FrameCursor.ANY_SEQUENCE);
            checkTerm(mark);
            walk.moveTo(basePosition + mark, cursor.sequence());
        }
        return range;
    }

    private long timeBehind(final Cut cut) throws IOException
    {
        final long basePosition = cursor.segment().basePosition;
        final int offset = (int)(cut.to() - basePosition);
        final boolean isThere = walk.isReadable(cut.to()) && cursor.isMark(
            cursor.examine(offset, walk.limit(basePosition, offset), FrameCursor.ANY_SEQUENCE));
        return isThere ? cursor.markTimeMs() : Long.MAX_VALUE;
    }

    /** Checks that the frame after a cut begins the cut's term: if not, the file may be an older copy. */
    private void checkTerm(final int offset)
    {
        final long position = cursor.segment().basePosition + offset;
        final Cut cut = state.cutBefore(position);
        final boolean isBegin = null != cut && cut.to() == position;
        if (isBegin && !(cursor.isMark(FrameCursor.Verdict.VALID) && cut.term() == cursor.markTerm()))
        {
            throw cursor.corrupt(
                "no watermark frame begins a term", FrameCursor.Verdict.INVALID, cut.sequence(),
                "; the file may be an older copy: restore it from a backup");
        }
    }
}
