package io.journal.internal.follow;

import java.io.IOException;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkView;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.read.ReadSource;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Window;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * Readers' view of a journal that another process may be writing. Takes no file lock, changes nothing, maps no segment.
 * Normative text: {@code docs/format.md}, "Following".
 * <p>
 * Its one lock guards the tail-follower and the view of the mark file, and excludes {@link #close()} from callers that
 * {@link ReaderGate} does not exclude from it. Readers take it only at the end that they know, and after a prune or
 * truncation.
 */
public final class FollowedSource extends ReadSource implements AutoCloseable
{
    private static final int MAX_ATTEMPTS = 100;
    private static final long STEP_LENGTH = 256 * 1024;
    private static final long UNKNOWN = -1;
    // More than any writer leaves without an fsync, but bounded, so that a fast writer cannot keep us busy forever.
    private static final long MAX_STEP_LENGTH = 1L << 30;

    private final FollowedMeta meta;
    private final Layout layout;
    private final MarkView mark;
    private final TailFollower follower;
    private final Object lock = new Object();

    // Stored after the state that was read: its generation, or -1 if it has to be read again.
    private volatile long seenGeneration = -1;
    private volatile JournalMeta.State state;
    private volatile boolean isClosed;

    // The end that the tail-follower has found. The position is stored before the sequence and read after it.
    private volatile long endPosition;
    private volatile long lastSequence;
    private volatile long forcedPosition;

    public FollowedSource(final SegmentStore store) throws IOException
    {
        super(store, false);
        final Window window = newWindow();
        meta = new FollowedMeta(store);
        layout = new Layout(segmentLength());
        mark = new MarkView(store, uuid());
        follower = new TailFollower(this, window);
        try
        {
            state = findEnd();
        }
        catch (final Throwable ex)
        {
            closeFiles();
            throw ex;
        }
    }

    public UUID uuid()
    {
        return meta.identity.uuid;
    }

    @Override
    public JournalMeta meta()
    {
        return meta.identity;
    }

    @Override
    public JournalMeta.State state()
    {
        return isClosed || meta.generation() == seenGeneration ? state : refresh();
    }

    /**
     * The state, for callers that {@link ReaderGate} does not exclude from {@link #close()}, which unmaps the file.
     */
    public JournalMeta.State currentState()
    {
        synchronized (lock)
        {
            return state();
        }
    }

    @Override
    public long lastSequence(final End which)
    {
        synchronized (lock)
        {
            if (isClosed)
            {
                return 0;
            }

            advance(Math.max(MAX_STEP_LENGTH, 16L * layout.segmentLength));
            // The start may be beyond the end found so far, after a prune or if the state was forged.
            final long last = Math.max(lastSequence, state().startSequence - 1);
            return End.FORCED == which ? Math.min(last, forcedSequence()) : last;
        }
    }

    /** Sequence of the newest record that is known to be durable. */
    public long forcedSequence()
    {
        synchronized (lock)
        {
            final long durable = durableSequence();
            return UNKNOWN == durable ? state.startSequence - 1 : durable;
        }
    }

    /**
     * Also for callers that {@link ReaderGate} does not exclude from {@link #close()}.
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

    /** Compares the record of a cursor with the journal's. */
    public void verify(final CursorFile file)
    {
        try
        {
            file.verify(termOf(file.sequence()));
        }
        catch (final CorruptJournalException ignore)
        {
            // Reported to a reader that begins here.
        }
    }

    @Override
    public boolean isEndKnown(final End which)
    {
        synchronized (lock)
        {
            return End.WRITTEN == which || isClosed || UNKNOWN != durableSequence();
        }
    }

    @Override
    public boolean isReadable(final long sequence, final End which)
    {
        return End.WRITTEN == which && sequence <= lastSequence || sequence <= lastSequence(which);
    }

    @Override
    public long readableSequence(final End which)
    {
        // The tail-follower finds whole frames with their sequences: the position is enough.
        return Long.MAX_VALUE;
    }

    @Override
    public long readableEnd(final End which, final long position)
    {
        final long end = End.FORCED == which ? forcedPosition : endPosition;
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
            meta.checkWhole();
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
                state = state.withoutIntent();
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
            closeFiles();
        }
    }

    private void closeFiles()
    {
        CloseHelper.quietCloseAll(follower, mark, meta);
    }

    /** Reads the state again and adjusts the end to it. */
    private JournalMeta.State refresh()
    {
        synchronized (lock)
        {
            if (!isClosed)
            {
                try
                {
                    final long generation = meta.generation();
                    final JournalMeta.State now = meta.read().state;
                    if (now.generation != state.generation)
                    {
                        adjustEnd(now);
                        state = now;
                        releaseSegments();
                    }
                    // A slot that is being written is read again.
                    seenGeneration = now.generation == generation ? generation : -1;
                }
                catch (final IOException ex)
                {
                    throw unreadable(ex);
                }
            }

            return state;
        }
    }

    private void adjustEnd(final JournalMeta.State now) throws IOException
    {
        // Another writer may have replaced the mark file, and a segment under the same name.
        mark.close();
        forcedPosition = 0;
        follower.goTo(follower.position(), follower.nextSequence());

        final JournalMeta.Cut cut = now.epoch == state.epoch + 1 ? now.cut : null;
        if (now.epoch != state.epoch && null == cut)
        {
            // The truncations of the epochs between are not known.
            findEnd();
        }
        else if (now.epoch != state.epoch && follower.position() > cut.position)
        {
            follower.goTo(cut.position, cut.sequence);
            publish();
        }
        if (follower.position() < now.startPosition)
        {
            follower.goTo(now.startPosition, now.startSequence);
        }
    }

    private JournalMeta.State findEnd() throws IOException
    {
        final EndFinder.Found found = EndFinder.find(store, meta);
        follower.goTo(found.position(), found.nextSequence());
        publish();
        return found.state();
    }

    private long advancedEnd(final End which)
    {
        synchronized (lock)
        {
            advance(STEP_LENGTH);
            if (End.FORCED == which && !isClosed)
            {
                forcedPosition = mark.poll(state.epoch) ? Math.min(endPosition, mark.position()) : 0;
                return forcedPosition;
            }

            return endPosition;
        }
    }

    private long durableSequence()
    {
        if (isClosed)
        {
            return state.startSequence - 1;
        }
        // The sequence is 0 if it is not known, and below the start if it was forged.
        return mark.poll(state().epoch) && mark.nextSequence() > 0 ?
            Math.max(mark.nextSequence(), state.startSequence) - 1 : UNKNOWN;
    }

    /** Lets the tail-follower read on; retries if a concurrent prune or truncation explains a failure. */
    private void advance(final long length)
    {
        boolean isAdvanced = false;
        for (int i = 0; i < MAX_ATTEMPTS && !isAdvanced && !isClosed; i++)
        {
            final JournalMeta.State before = state();
            JournalException failure = null;
            try
            {
                advance(before, length);
            }
            catch (final CorruptJournalException ex)
            {
                failure = ex;
            }
            catch (final IOException ex)
            {
                failure = unreadable(ex);
            }

            isAdvanced = state() == before;
            if (isAdvanced && null != failure)
            {
                throw failure;
            }
        }
    }

    private void advance(final JournalMeta.State state, final long length) throws IOException
    {
        // Watermark first: everything below it must be there when the tail-follower reads.
        final boolean isDurableKnown = mark.poll(state.epoch);
        final long durable = mark.position();
        if (isDurableKnown && null == state.pending)
        {
            skip(durable);
        }

        final long cap = null == state.pending ? Long.MAX_VALUE : state.pending.position;
        boolean isDry = false;
        try
        {
            isDry = follower.advance(cap, length);
        }
        finally
        {
            // Also if it throws: what is before a frame that must not be skipped can be read.
            if (state() == state)
            {
                publish();
            }
        }
        final boolean isMissing =
            isDry && isDurableKnown && layout.place(durable) > follower.position() && follower.position() < cap;
        if (isMissing && state() == state)
        {
            throw new CorruptJournalException(
                "corruption below the durable watermark: " + follower.found() + ", durablePosition=" + durable +
                    ", endPosition=" + follower.position() + "; restore the file from a backup",
                null, JournalFiles.segment(layout.ordinal(follower.position())), layout.offset(follower.position()),
                follower.nextSequence());
        }
    }

    /** Lets the tail-follower skip to the segment of the watermark: readers check what they read themselves. */
    private void skip(final long durable)
    {
        final long ordinal = layout.ordinal(durable - SegmentHeader.LENGTH - 1);
        if (ordinal > layout.ordinal(follower.position()) + 1)
        {
            follower.goTo(layout.position(ordinal, SegmentHeader.LENGTH), FrameCursor.ANY_SEQUENCE);
        }
    }

    private void publish()
    {
        if (FrameCursor.ANY_SEQUENCE != follower.nextSequence())
        {
            // At the end of a segment the next one may not exist yet: readers must not try to open it.
            final long position = follower.position();
            endPosition = SegmentHeader.LENGTH == layout.offset(position) ? position - SegmentHeader.LENGTH : position;
            lastSequence = follower.nextSequence() - 1;
        }
    }

    private static JournalException unreadable(final IOException cause)
    {
        return new JournalException("cannot follow the journal; cause=" + cause, cause);
    }
}
