package io.journal.internal.read;

import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.FrameSearch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;

/**
 * Moves a {@link RecordWalk}: searches the first watermark frames of segments, then the watermark frames in one
 * segment, then frame by frame. Restarts after a concurrent prune or truncation.
 */
public final class Seek
{
    private static final int SEARCH_LENGTH = 128 * 1024;

    private final RecordWalk walk;
    private final ReadSource source;
    private final ReadSource.End readable;
    private final FrameCursor cursor;
    private JournalMeta.State state;

    Seek(final RecordWalk walk, final ReadSource source, final ReadSource.End readable, final FrameCursor cursor)
    {
        this.walk = walk;
        this.source = source;
        this.readable = readable;
        this.cursor = cursor;
    }

    /**
     * Moves to a record. If this throws, the walk has no position until a seek succeeds; a sequence outside the journal
     * leaves the position unchanged.
     *
     * @throws IllegalArgumentException if there is no such record.
     */
    public void to(final long sequence) throws IOException
    {
        do
        {
            final JournalMeta.State state = source.state();
            final long last = source.lastSequence(readable);
            if (sequence < state.startSequence || sequence > last + 1)
            {
                throw new IllegalArgumentException(
                    "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + state.startSequence +
                        ", lastSequence=" + last);
            }
            begin(state);
        }
        while (!isFound(() -> find(sequence)));
    }

    /**
     * Moves to the first record that may be read.
     */
    public void toStart() throws IOException
    {
        do
        {
            begin(source.state());
        }
        while (!isFound(() -> find(state.startSequence)));
    }

    /**
     * Moves behind the last record that may be read.
     */
    public void toEnd() throws IOException
    {
        do
        {
            begin(source.state());
        }
        while (!isFound(() -> find(Math.max(state.startSequence, source.lastSequence(readable) + 1))));
    }

    /**
     * Moves behind the last watermark frame that is not later than a time, in epoch milliseconds.
     */
    public void toTime(final long timeMs) throws IOException
    {
        do
        {
            begin(source.state());
        }
        while (!isFound(() -> findTime(timeMs)));
    }

    private interface Search
    {
        /**
         * @return whether the search reached its target.
         */
        boolean run() throws IOException;
    }

    private void begin(final JournalMeta.State state)
    {
        this.state = state;
        walk.begin(state);
    }

    /**
     * Runs a search. A failure under a concurrent prune or truncation is no error but a reason to retry.
     *
     * @return false if the search must be retried.
     */
    private boolean isFound(final Search search) throws IOException
    {
        boolean isFound;
        try
        {
            isFound = search.run();
        }
        catch (final CorruptJournalException | IOException ex)
        {
            if (!walk.isUnsettled())
            {
                throw ex;
            }
            isFound = false;
        }
        if (walk.isUnsettled())
        {
            return false;
        }
        if (!isFound)
        {
            throw new JournalException(
                "cannot read on to the record: reached=" + walk.nextSequence() + ", file=" +
                    JournalFiles.segment(walk.ordinal()) + ", offset=" + walk.offset());
        }

        walk.found();
        return true;
    }

    private boolean findTime(final long timeMs) throws IOException
    {
        walk.enter(findSegment(SegmentIndex.Key.TIME, timeMs), FrameCursor.ANY_SEQUENCE);
        if (walk.offset() >= walk.limit())
        {
            walk.goTo(walk.offset(), Math.max(state.startSequence, source.lastSequence(readable) + 1));
            return true;
        }

        int mark = markBefore(SegmentIndex.Key.TIME, timeMs);
        long markSequence = FrameCursor.ANY_SEQUENCE;
        long expected = FrameCursor.ANY_SEQUENCE;
        for (int offset = mark; offset < walk.limit(); offset = cursor.nextOffset())
        {
            walk.examine(offset, expected);
            if (FrameCursor.ANY_SEQUENCE == markSequence)
            {
                markSequence = cursor.sequence();
            }
            else if (cursor.isMark(FrameCursor.Verdict.VALID))
            {
                if (cursor.markTimeMs() > timeMs)
                {
                    break;
                }
                mark = offset;
                markSequence = expected;
            }
            expected = cursor.nextSequence();
        }
        walk.goTo(mark, markSequence);
        return true;
    }

    private boolean find(final long sequence) throws IOException
    {
        // Corruption elsewhere must not prevent reading the first record.
        walk.enter(
            sequence == state.startSequence ? firstOrdinal() : findSegment(SegmentIndex.Key.SEQUENCE, sequence),
            FrameCursor.ANY_SEQUENCE);
        if (walk.offset() < walk.limit())
        {
            final int mark = markBefore(SegmentIndex.Key.SEQUENCE, sequence);
            walk.examine(mark, FrameCursor.ANY_SEQUENCE);
            walk.goTo(mark, cursor.sequence());
        }
        else
        {
            walk.goTo(walk.offset(), sequence);
        }

        while (walk.nextSequence() < sequence && walk.next())
        {
            walk.pass();
        }
        return walk.nextSequence() == sequence;
    }

    private long firstOrdinal()
    {
        return state.startPosition / source.segmentLength();
    }

    private long findSegment(final SegmentIndex.Key key, final long wanted) throws IOException
    {
        final long newestEnd = source.readableEnd(readable, Long.MAX_VALUE);
        final long lastOrdinal =
            Math.max(firstOrdinal(), (newestEnd - SegmentHeader.LENGTH - 1) / source.segmentLength());
        return source.index().find(key, wanted, firstOrdinal(), lastOrdinal, source, state.epoch, cursor);
    }

    /**
     * Bisects the range that holds the target until it is small enough to scan.
     */
    private int markBefore(final SegmentIndex.Key key, final long wanted) throws IOException
    {
        int low = walk.offset();
        int high = walk.limit();
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

        return low;
    }
}
