// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.follow;

import java.io.EOFException;
import java.io.IOException;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.internal.control.ControlContent;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.ControlView;
import io.journal.internal.control.History;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.read.ReadSource;
import io.journal.internal.recover.Scan;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.FrameWalk;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentSet;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * Readers' view of a journal that another process may be writing. Takes no file lock, changes nothing, maps no segment.
 * Normative text: {@code docs/format.md}, "Following".
 * <p>
 * It finds the end by walking ahead of the readers: a valid frame that follows is part of the journal. Bytes are copied
 * from the files, so a concurrent change can only make a frame invalid.
 * <p>
 * Its one lock guards that walk and the view of the control file, and excludes {@link #close()} from callers that
 * {@link io.journal.internal.read.ReaderGate} does not exclude from it. Readers take it only when they reach their
 * known end, and after a prune or truncation.
 */
public final class FollowedSource extends ReadSource implements AutoCloseable
{
    private static final int MAX_ATTEMPTS = 100;
    private static final long STEP_LENGTH = 256 * 1024;
    private static final long UNKNOWN = -1;
    // Limit of one step: more than any writer leaves without an fsync, but bounded, so that a fast writer cannot keep a
    // reader busy forever.
    private static final long MAX_STEP_LENGTH = 1L << 30;
    // The first read is small, because mostly the end has not moved, or by a single record.
    private static final int PROBE_LENGTH = 4 * 1024;
    private static final int READ_LENGTH = 64 * 1024;

    private final ControlView control;
    private final Layout layout;
    private final FrameWalk walk;
    private final Object lock = new Object();
    // The reason why the segment of the end could not be opened, or null.
    private JournalException failure;

    // Generation of the state that was read, stored after the state; -1 if it has to be read again.
    private volatile long seenGeneration = -1;
    private volatile ControlState state;
    private volatile History history;
    private volatile boolean isClosed;

    // The end that the walk has found. The position is stored before the sequence and read after it.
    private volatile long endPosition;
    private volatile long lastSequence;
    private volatile long forcedPosition;

    private FollowedSource(final SegmentStore store, final ControlView control) throws IOException
    {
        super(store, control.uuid, control.segmentLength, false);
        this.control = control;
        layout = new Layout(segmentLength());
        walk = new FrameWalk(this::openIfThere, layout, newWindow());
        try
        {
            findEnd();
        }
        catch (final Throwable ex)
        {
            walk.close();
            throw ex;
        }
    }

    public static FollowedSource open(final SegmentStore store) throws IOException
    {
        final ControlView control = new ControlView(store);
        try
        {
            return new FollowedSource(store, control);
        }
        catch (final Throwable ex)
        {
            control.close();
            throw ex;
        }
    }

    @Override
    public History history()
    {
        if (!isClosed && control.generation() != seenGeneration)
        {
            refresh();
        }
        return history;
    }

    /**
     * The state, for callers that {@link io.journal.internal.read.ReaderGate} does not exclude from {@link #close()},
     * which unmaps the file.
     */
    public ControlState currentState()
    {
        synchronized (lock)
        {
            history();
            return state;
        }
    }

    @Override
    public long lastSequence(final JournalReader.Limit which)
    {
        synchronized (lock)
        {
            if (isClosed)
            {
                return 0;
            }

            advance(Math.max(MAX_STEP_LENGTH, 16L * layout.segmentLength));
            // The start may be beyond the end found so far, after a prune.
            final long last = Math.max(lastSequence, history().startSequence - 1);
            return JournalReader.Limit.FORCED == which ? Math.min(last, forcedSequence()) : last;
        }
    }

    /** Sequence of the newest record that is known to be durable. */
    public long forcedSequence()
    {
        synchronized (lock)
        {
            final long durable = durableSequence();
            return UNKNOWN == durable ? history.startSequence - 1 : durable;
        }
    }

    /**
     * May be called by callers that {@link io.journal.internal.read.ReaderGate} does not exclude from {@link #close()}.
     *
     * @throws IllegalStateException if this is closed.
     */
    @Override
    public long termOf(final long sequence)
    {
        synchronized (lock)
        {
            if (isClosed)
            {
                throw new IllegalStateException("journal is closed");
            }
            return terms().of(sequence);
        }
    }

    @Override
    public boolean isEndKnown(final JournalReader.Limit which)
    {
        synchronized (lock)
        {
            return JournalReader.Limit.WRITTEN == which || isClosed || UNKNOWN != durableSequence();
        }
    }

    @Override
    public boolean isReadable(final long sequence, final JournalReader.Limit which)
    {
        return JournalReader.Limit.WRITTEN == which && sequence <= lastSequence || sequence <= lastSequence(which);
    }

    @Override
    public long readableSequence(final JournalReader.Limit which)
    {
        // The walk finds whole frames with their sequences: the position is enough.
        return Long.MAX_VALUE;
    }

    @Override
    public long readableEnd(final JournalReader.Limit which, final long position)
    {
        final long end = JournalReader.Limit.FORCED == which ? forcedPosition : endPosition;
        return position < end ? end : advancedEnd(which);
    }

    @Override
    public boolean isClosed()
    {
        return isClosed;
    }

    @Override
    public void checkWhole()
    {
        if (!isClosed)
        {
            control.checkWhole();
        }
    }

    /** From now on nothing is readable. A reader that is inside a call may still use the files. */
    public void end()
    {
        synchronized (lock)
        {
            if (!isClosed)
            {
                // A new object, so that readers refresh their end.
                history = history.copy();
                isClosed = true;
                endPosition = 0;
                forcedPosition = 0;
            }
        }
    }

    /** Closes the files. No reader may be inside a call that began before {@link #end()}. */
    @Override
    public void close()
    {
        synchronized (lock)
        {
            end();
            closeSegments();
            CloseHelper.quietCloseAll(walk, control);
        }
    }

    /** Reads the state again and adjusts the end to it. */
    private void refresh()
    {
        synchronized (lock)
        {
            if (!isClosed)
            {
                try
                {
                    final long generation = control.generation();
                    final ControlState now = control.read().state();
                    if (now.generation != state.generation)
                    {
                        adjust(now);
                    }
                    // A slot that is being written is read again.
                    seenGeneration = now.generation == generation ? generation : -1;
                }
                catch (final IOException ex)
                {
                    throw unreadable(ex);
                }
            }
        }
    }

    private void adjust(final ControlState now) throws IOException
    {
        final History next = now.history;
        if (next.number != history.number || next.term != history.term)
        {
            forcedPosition = 0;
            findEnd();
            releaseSegments();
        }
        else
        {
            state = now;
            if (next.startPosition != history.startPosition)
            {
                history = next;
                final boolean isPruned = walk.position() < next.firstPosition();
                walk.start(
                    next, isPruned ? next.firstPosition() : walk.position(),
                    isPruned ? next.startSequence : walk.nextSequence());
                releaseSegments();
            }
        }
    }

    /** Finds the end as recovery does, from the durable watermark. */
    private void findEnd() throws IOException
    {
        String before = null;
        for (int i = 0; i < MAX_ATTEMPTS; i++)
        {
            final ControlContent content = control.read();
            try
            {
                final Scan scan = new Scan(store, content, SegmentSet.ordinals(store), false);
                final ControlState now = control.read().state();
                // Pruning does not move the end.
                if (now.history.number == content.state().history.number &&
                    now.history.term == content.state().history.term && now.history.startPosition <= scan.end)
                {
                    walk.start(now.history, scan.end, scan.nextSequence);
                    publish();
                    state = now;
                    history = now.history;
                    return;
                }
            }
            catch (final CorruptJournalException | IOException ex)
            {
                // Files that are being changed may appear corrupt, but not twice in the same way.
                if (place(ex).equals(before) && control.read().state().generation == content.state().generation)
                {
                    throw ex;
                }
                before = place(ex);
            }
        }

        throw new JournalException("journal changes too quickly to be opened: try again");
    }

    /** Where a scan failed; otherwise the text, which may contain values that a writer changes. */
    private static String place(final Exception ex)
    {
        return ex instanceof final CorruptJournalException corrupt && null != corrupt.file() ?
            corrupt.file() + ", " + corrupt.offset() + ", " + corrupt.sequence() : ex.toString();
    }

    private Segment openIfThere(final long ordinal) throws IOException
    {
        try
        {
            failure = null;
            return openSegment(ordinal);
        }
        catch (final CorruptJournalException ex)
        {
            // It is absent or incomplete: the writer has not created it yet, or it is gone again.
            failure = ex;
            return null;
        }
    }

    private long advancedEnd(final JournalReader.Limit which)
    {
        synchronized (lock)
        {
            advance(STEP_LENGTH);
            if (JournalReader.Limit.FORCED == which && !isClosed)
            {
                final ControlState.End durable = control.watermark(history.term);
                forcedPosition = null == durable ? 0 : Math.min(endPosition, durable.position());
                return forcedPosition;
            }

            return endPosition;
        }
    }

    private long durableSequence()
    {
        if (isClosed)
        {
            return history.startSequence - 1;
        }
        final ControlState.End durable = control.watermark(history().term);
        // The sequence is below the start if it was forged.
        return null == durable ? UNKNOWN : Math.max(durable.nextSequence(), history.startSequence) - 1;
    }

    /** Walks on; retries if a concurrent prune or truncation explains a failure. */
    private void advance(final long length)
    {
        boolean isAdvanced = isClosed;
        for (int i = 0; i < MAX_ATTEMPTS && !isAdvanced; i++)
        {
            final History before = history();
            JournalException thrown = null;
            try
            {
                advance(before, length);
            }
            catch (final CorruptJournalException ex)
            {
                thrown = ex;
            }
            catch (final IOException ex)
            {
                thrown = unreadable(ex);
            }

            isAdvanced = history() == before;
            if (isAdvanced && null != thrown)
            {
                throw thrown;
            }
        }
    }

    private void advance(final History before, final long length) throws IOException
    {
        // Watermark first: everything below it must be there when the walk reads.
        final ControlState.End durable = control.watermark(before.term);
        if (null != durable)
        {
            skip(durable.position());
        }

        boolean isDry = false;
        try
        {
            isDry = isDry(walk.position() + length);
        }
        finally
        {
            // Published even if it throws: records before a frame that must not be skipped can be read.
            if (history() == before)
            {
                publish();
            }
        }
        final boolean isMissing =
            isDry && null != durable && layout.place(durable.position()) > walk.position();
        if (isMissing && history() == before)
        {
            final String found = null == failure ? walk.found() : failure.getMessage();
            throw corrupt(
                "corruption below the durable watermark: " + found + ", durablePosition=" + durable.position() +
                    ", endPosition=" + walk.position() + "; restore the file from a backup",
                null);
        }
    }

    private CorruptJournalException corrupt(final String message, final Throwable cause)
    {
        return new CorruptJournalException(
            message, cause, JournalFiles.segment(layout.ordinal(walk.position())), layout.offset(walk.position()),
            walk.nextSequence());
    }

    /** Walks up to a position; whether it stopped because no frame follows. */
    private boolean isDry(final long limit) throws IOException
    {
        failure = null;
        // Bytes read before may have been written since.
        walk.readAgain();
        walk.cursor().readAhead(PROBE_LENGTH);
        try
        {
            FrameWalk.Stop stop = walk.next(limit);
            walk.cursor().readAhead(READ_LENGTH);
            while (FrameWalk.Stop.RECORD == stop)
            {
                walk.pass();
                stop = walk.next(limit);
            }
            return FrameWalk.Stop.END == stop;
        }
        catch (final EOFException ex)
        {
            failure = corrupt("file was cut short: " + walk.place(), ex);
            walk.start(history, walk.position(), walk.nextSequence());
            return true;
        }
    }

    /** Lets the walk skip to the segment of the watermark: readers check what they read themselves. */
    private void skip(final long durable)
    {
        final long ordinal = layout.ordinal(durable - SegmentHeader.LENGTH - 1);
        if (ordinal > layout.ordinal(walk.position()) + 1)
        {
            walk.start(history, layout.position(ordinal, SegmentHeader.LENGTH), FrameCursor.ANY_SEQUENCE);
        }
    }

    private void publish()
    {
        if (FrameCursor.ANY_SEQUENCE != walk.nextSequence())
        {
            // At the end of a segment the next segment may not exist yet: readers must not try to open it.
            final long position = walk.position();
            endPosition = SegmentHeader.LENGTH == layout.offset(position) ? position - SegmentHeader.LENGTH : position;
            lastSequence = walk.nextSequence() - 1;
        }
    }

    private static JournalException unreadable(final IOException cause)
    {
        return new JournalException("cannot follow the journal; cause=" + cause, cause);
    }
}
