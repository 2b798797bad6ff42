// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameSearch;

/**
 * Moves a {@link RecordWalk}: searches the first watermark frames of segments, then the watermark frames in one
 * segment, then frame by frame. Restarts after a concurrent prune or truncation. If a search fails, the walk has no
 * position until another one succeeds.
 */
public final class Seek
{
    private static final int SEARCH_LENGTH = 128 * 1024;
    private static final int NONE = -1;
    // The index may have no entry before these records.
    private static final int FIRST_RECORDS = 128;
    // For reading backwards: how much is loaded before a position, once less than the second length is loaded.
    // Watermark frames are half as far apart.
    private static final int BACK_LENGTH = 128 * 1024;
    private static final int NEAR_LENGTH = 4 * 1024;
    private static final int MAX_STEPS = 16;

    private final RecordWalk walk;
    private final ReadSource source;
    private final ReadableEnd end;
    private final FrameCursor cursor;
    // The journal's state in which the search was begun.
    private History state;

    Seek(final RecordWalk walk, final ReadSource source, final ReadableEnd end, final FrameCursor cursor)
    {
        this.walk = walk;
        this.source = source;
        this.end = end;
        this.cursor = cursor;
    }

    /**
     * Moves to a record. If it is pruned or truncated while it is searched for, the walk's standing shows that. Frames
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
        if (!find(sequence, before))
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

    /**
     * Moves to a record if there is one.
     *
     * @return false if there is no record with this sequence now.
     */
    public boolean toRecord(final long sequence) throws IOException
    {
        final History before = source.history();
        if (sequence < before.startSequence || !end.isReadable(sequence))
        {
            return false;
        }

        if (!find(sequence, before))
        {
            search(sequence, before, false);
        }
        return RecordWalk.Standing.FOLLOWING == walk.standing();
    }

    /**
     * As {@link #toRecord}, to the record before the position: in the nearby parts of the log that lead there, so that
     * damage before the record does not matter.
     */
    public boolean toPrevious() throws IOException
    {
        state = walk.history();
        final long target = walk.nextSequence() - 1;
        final int segmentLength = source.segmentLength();
        long position = walk.position();
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
            attach(basePosition / segmentLength, false);
            final int offset = offsetBefore(first, limit, target);
            if (offset >= 0 && !walk.isOutdated())
            {
                walk.begin(state);
                walk.moveTo(basePosition + offset, target);
                walk.found(RecordWalk.Standing.FOLLOWING);
                return true;
            }
            // After a prune or truncation an earlier segment would not help either, and the caller has to reconcile
            // first.
            isNear = limit - first <= BACK_LENGTH && !walk.isOutdated();
            position = basePosition + first;
        }
        return !walk.isOutdated() && toRecord(target);
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
        final PositionIndex.Table index = source.positions().current();
        final long known = index.isOf(state.number) ? index.find(target, target - state.startSequence) : 0;
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
            final boolean isKnown = end.isKnown();
            if (!isInRange(sequence, state))
            {
                final boolean isWritten = sequence >= state.startSequence &&
                    sequence <= source.lastSequence(ReadSource.End.WRITTEN) + 1;
                if (isWritten && !(isKnown && end.isKnown() && source.history() == state))
                {
                    throw ReadSource.durabilityUnknown(sequence);
                }
                throw new IllegalArgumentException(
                    "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + state.startSequence +
                        ", lastSequence=" + end.lastSequence());
            }
        }
    }

    private boolean isInRange(final long sequence, final History state)
    {
        return sequence >= state.startSequence && sequence <= end.lastSequence() + 1;
    }

    /**
     * Moves to a record from the walk's own position, if that is near, or from the nearest position in the index.
     *
     * @return false if it was not found that way; a search finds out why.
     */
    private boolean find(final long sequence, final History now) throws IOException
    {
        final PositionIndex.Table index = source.positions().current();
        final long known = index.isOf(now.number) ? index.find(sequence, sequence - now.startSequence) : 0;
        final boolean isFirst = 0 == known && sequence - now.startSequence < FIRST_RECORDS;
        final long position =
            walk.isNear(sequence, now) ? walk.position() : isFirst ? now.firstPosition() : known;
        final int offset = (int)(position & (source.segmentLength() - 1));
        if (position < now.startPosition || offset < SegmentHeader.LENGTH)
        {
            return false;
        }

        state = now;
        walk.begin(now);
        try
        {
            attach(position / source.segmentLength(), true);
            final boolean isFound = position == now.firstPosition() ? hopFromMark(offset, sequence) :
                hopTo(offset, sequence) || hopInNext(position, sequence);
            if (isFound && !walk.isOutdated())
            {
                walk.found(RecordWalk.Standing.FOLLOWING);
                return true;
            }
        }
        catch (final CorruptJournalException ex)
        {
            // The search reports the damage, unless the record is in another segment, or a prune or truncation explains
            // it.
            return false;
        }
        catch (final IOException ex)
        {
            if (!walk.isOutdated())
            {
                throw ex;
            }
        }
        return false;
    }

    /** Moves to one of the first records of the segment after a position: no entry of the index is in that segment. */
    private boolean hopInNext(final long position, final long sequence) throws IOException
    {
        final int segmentLength = source.segmentLength();
        final long next = (position & -segmentLength) + segmentLength;
        if (!end.isAfter(next + SegmentHeader.LENGTH) || state.isDead(next, segmentLength))
        {
            return false;
        }

        attach(next / segmentLength, true);
        return hopFromMark(SegmentHeader.LENGTH, sequence);
    }

    private boolean hopFromMark(final int offset, final long sequence) throws IOException
    {
        FoundRecord.show(
            cursor, offset, end.limit(cursor.segment().basePosition, offset), FrameCursor.ANY_SEQUENCE);
        return hopTo(offset, sequence);
    }

    /** Opens a segment, unless it is open already. */
    private void attach(final long ordinal, final boolean isKept) throws IOException
    {
        if (null == cursor.segment() || cursor.segment().ordinal != ordinal)
        {
            walk.attach(ordinal, isKept);
        }
    }

    private void search(final long sequence, final History before, final boolean isVerified)
        throws IOException
    {
        search(() ->
        {
            walk.expect(sequence);
            if (sequence < state.startSequence)
            {
                return RecordWalk.Standing.PRUNED;
            }
            return state.isCutSince(before.number, sequence) && sequence > end.lastSequence() + 1 ?
                RecordWalk.Standing.TRUNCATED : find(sequence, isVerified);
        });
    }

    /** Returns the target's standing, or null if it was not reached. */
    private interface Search
    {
        RecordWalk.Standing run() throws IOException;
    }

    private void search(final Search search) throws IOException
    {
        RecordWalk.Standing standing;
        do
        {
            state = source.history();
            walk.begin(state);
            end.watch();
            standing = attempt(search);
        }
        while (walk.isOutdated());

        final boolean isAtStart =
            walk.nextSequence() == state.startSequence && walk.position() <= state.firstPosition();
        if (end.wasMissing() && (RecordWalk.Standing.FOLLOWING == standing ? !isAtStart : null == standing))
        {
            // Without a known end, the search has taken the first segment for the last.
            throw ReadSource.durabilityUnknown(walk.nextSequence());
        }
        if (null == standing)
        {
            throw new JournalException("cannot read on to the record: reached " + walk.place());
        }
        walk.found(standing);
    }

    /** Runs a search. A failure under a concurrent prune or truncation is no error but a reason to retry. */
    private RecordWalk.Standing attempt(final Search search) throws IOException
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

    private RecordWalk.Standing find(final long sequence, final boolean isVerified) throws IOException
    {
        if (sequence == state.startSequence)
        {
            final long first = state.firstPosition();
            if (end.isAfter(first))
            {
                // Attached now, so that a missing segment is reported here.
                walk.attach(first / source.segmentLength(), false);
            }
            walk.moveTo(first, sequence);
            return RecordWalk.Standing.FOLLOWING;
        }

        final long ordinal = findSegment(SegmentIndex.Key.SEQUENCE, sequence);
        if (!isVerified && interpolate(ordinal, sequence))
        {
            return RecordWalk.Standing.FOLLOWING;
        }
        final LogRange range = goToMark(ordinal, SegmentIndex.Key.SEQUENCE, sequence);
        final int limit = range.limit();
        if (range.from() >= limit)
        {
            walk.moveTo(cursor.segment().basePosition + range.beginning(), sequence);
        }
        else if (!isVerified)
        {
            final int offset = cursor.offset();
            if (hopTo(offset, sequence) || findBehindDamage(offset, limit, sequence))
            {
                return RecordWalk.Standing.FOLLOWING;
            }
            // Reports the damage.
            goToMark(ordinal, SegmentIndex.Key.SEQUENCE, sequence);
        }

        while (walk.nextSequence() < sequence && walk.next())
        {
            walk.pass();
        }
        return walk.nextSequence() == sequence ? RecordWalk.Standing.FOLLOWING : null;
    }

    /**
     * Moves to a record in a segment from a valid frame shortly before it. Looks for that frame where the record would
     * be if all records had the same length, so mostly touches a few pages only.
     *
     * @return false if it was not found that way; a search among watermark frames finds out why.
     */
    private boolean interpolate(final long ordinal, final long target) throws IOException
    {
        attach(ordinal, true);
        final long basePosition = cursor.segment().basePosition;
        final LogRange range = LogRange.find(
            state, basePosition, end.limit(basePosition, SegmentHeader.LENGTH), (cut) -> cut.sequence() <= target);
        int low = range.from();
        int high = range.limit();
        if (high - low < FrameHeader.LENGTH ||
            FrameCursor.Verdict.VALID != cursor.examine(low, high, FrameCursor.ANY_SEQUENCE))
        {
            return false;
        }

        long lowSequence = cursor.sequence();
        double length = meanLength();
        for (int i = 0; i < MAX_STEPS && high - low > NEAR_LENGTH; i++)
        {
            final double distance = (target - lowSequence) * length;
            if (distance < NEAR_LENGTH && low > range.from())
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
        return low > range.from() && hopTo(low, target);
    }

    /** Mean length of a record of the journal, with its frame. */
    private double meanLength()
    {
        return (double)(end.position() - state.startPosition) / Math.max(1, endSequence() - state.startSequence);
    }

    /** Moves to a record, or to the end, if frame headers lead there. */
    private boolean hopTo(final int from, final long target) throws IOException
    {
        final int offset = hop(from, source.segmentLength(), target);
        if (offset < 0)
        {
            return false;
        }

        walk.moveTo(cursor.segment().basePosition + offset, target);
        return true;
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
        final PositionIndex.Table index = source.positions().of(
            state.number, target - state.startSequence, basePosition + from - state.startPosition);
        final Cut cut = state.cutEndingAfter(basePosition + from);
        final int cutOffset = (int)Math.min(
            limit, null == cut ? Long.MAX_VALUE : Math.max(0, cut.from() - basePosition));
        int offset = from;
        long expected = FrameCursor.ANY_SEQUENCE;
        while (offset < cutOffset && end.isAfter(basePosition + offset))
        {
            final int readable = Math.min(cutOffset, end.limit(basePosition, offset));
            final long next = cursor.peek(offset, readable, expected);
            if (next < 0 || cursor.sequence() > target)
            {
                return NONE;
            }
            if (next > target)
            {
                // Without a frame before it to compare with, a sequence may be damaged.
                final boolean isVague = FrameCursor.ANY_SEQUENCE == expected;
                if (isVague && FrameCursor.Verdict.VALID !=
                    cursor.verify(offset, readable, FrameCursor.ANY_SEQUENCE))
                {
                    return NONE;
                }
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

    /**
     * Finds a record whose frame cannot be reached from the frames before it, as one of them is damaged. If the record
     * itself is damaged, moves to where it should be: reading it there reports the damage.
     */
    private boolean findBehindDamage(final int from, final int limit, final long target) throws IOException
    {
        final int offset = FrameSearch.record(cursor, from, limit, target);
        if (offset < 0)
        {
            return false;
        }

        walk.moveTo(cursor.segment().basePosition + offset, target);
        return true;
    }

    private RecordWalk.Standing findTime(final long timeMs) throws IOException
    {
        final LogRange range =
            goToMark(findSegment(SegmentIndex.Key.TIME, timeMs), SegmentIndex.Key.TIME, timeMs);
        final int limit = range.limit();
        if (range.from() >= limit)
        {
            walk.moveTo(cursor.segment().basePosition + range.beginning(), endSequence());
            return RecordWalk.Standing.FOLLOWING;
        }

        while (cursor.nextOffset() < limit)
        {
            final int offset = cursor.nextOffset();
            FoundRecord.show(cursor, offset, limit, cursor.nextSequence());
            if (cursor.isMark(FrameCursor.Verdict.VALID))
            {
                if (cursor.markTimeMs() > timeMs)
                {
                    break;
                }
                walk.moveTo(cursor.segment().basePosition + offset, cursor.sequence());
            }
        }
        return RecordWalk.Standing.FOLLOWING;
    }

    private long firstOrdinal()
    {
        return state.startPosition / source.segmentLength();
    }

    private long endSequence()
    {
        return Math.max(state.startSequence, end.lastSequence() + 1);
    }

    private long findSegment(final SegmentIndex.Key key, final long wanted) throws IOException
    {
        final long lastOrdinal =
            Math.max(firstOrdinal(), (end.newest() - SegmentHeader.LENGTH - 1) / source.segmentLength());
        final double distance = SegmentIndex.Key.TIME == key ? 0 : (wanted - state.startSequence) * meanLength();
        final long guess = firstOrdinal() + (long)(distance / source.segmentLength());
        return source.index().find(key, wanted, firstOrdinal(), lastOrdinal, guess, state, cursor);
    }

    /**
     * Moves to a watermark frame before the target, near enough for a cheap scan: bisects the range that holds the
     * target.
     *
     * @return the part of the segment that holds the target; it ends at or before its beginning if there is none.
     */
    private LogRange goToMark(final long ordinal, final SegmentIndex.Key key, final long wanted) throws IOException
    {
        walk.attach(ordinal, false);
        final long basePosition = cursor.segment().basePosition;
        final LogRange range = LogRange.find(
            state, basePosition, end.limit(basePosition, SegmentHeader.LENGTH),
            (cut) -> SegmentIndex.Key.SEQUENCE == key ? cut.sequence() <= wanted : timeBehind(cut) <= wanted);
        int low = range.from();
        int high = range.limit();
        while (high - low > SEARCH_LENGTH)
        {
            final int middle = low + FrameHeader.align((high - low) >>> 1);
            final int mark = FrameSearch.watermark(cursor, middle, high);
            if (mark < 0 || key.of(cursor) > wanted)
            {
                high = middle;
            }
            else
            {
                low = mark;
            }
        }

        if (low < range.limit())
        {
            FoundRecord.show(cursor, low, range.limit(), FrameCursor.ANY_SEQUENCE);
            checkTerm(low);
            walk.moveTo(basePosition + low, cursor.sequence());
        }
        return range;
    }

    private long timeBehind(final Cut cut) throws IOException
    {
        final int offset = (int)(cut.to() - cursor.segment().basePosition);
        final boolean isThere = end.isAfter(cut.to()) && cursor.isMark(
            cursor.examine(offset, end.limit(cursor.segment().basePosition, offset), FrameCursor.ANY_SEQUENCE));
        return isThere ? cursor.markTimeMs() : Long.MAX_VALUE;
    }

    /** Checks that the frame after a cut begins the cut's term: if not, the file may be an older copy. */
    private void checkTerm(final int offset)
    {
        final long position = cursor.segment().basePosition + offset;
        final Cut cut = state.cutBefore(position);
        final boolean isBegin = null != cut && cut.to() == position;
        if (isBegin && !(cursor.isControl() && FrameHeader.MARK == cursor.kind() && cut.term() == cursor.markTerm()))
        {
            throw cursor.corrupt(
                "no watermark frame begins a term", FrameCursor.Verdict.INVALID, cut.sequence(),
                "; the file may be an older copy: restore it from a backup");
        }
    }
}
