package io.journal.internal.read;

import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.FrameCursor;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.MarkView;
import io.journal.internal.files.Segment;
import io.journal.internal.files.SegmentSet;
import io.journal.internal.files.Window;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.recover.JournalScan;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * Readers' view of a journal that another process may be writing. Takes no file lock, changes nothing, maps no segment.
 * Normative text: {@code docs/format.md}, "Following".
 */
public final class FollowedSource implements ReadSource, AutoCloseable
{
    private static final int WINDOW_LENGTH = 64 * 1024;
    private static final int MAX_ATTEMPTS = 100;
    private static final long STEP_LENGTH = 256 * 1024;
    // More than any writer leaves without an fsync, but bounded, so that a fast writer cannot keep us busy forever.
    private static final long MAX_STEP_LENGTH = 1L << 30;
    private static final VarHandle LONG =
        MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);

    private final SegmentStore store;
    private final JournalMeta identity;
    private final Layout layout;
    private final SegmentFile metaFile;
    private final ByteBuffer metaView;
    private final MarkView mark;
    private final TailFollower follower;
    private final SegmentIndex index = new SegmentIndex();

    // Generation that metaView showed when the state was read; -1 if it has to be read again.
    private volatile long seenGeneration = -1;
    private volatile JournalMeta.State state;
    private volatile boolean isClosed;

    // The end that the tail-follower has found. The position is stored before the sequence and read after it.
    private volatile long endPosition;
    private volatile long lastSequence;
    private volatile long forcedPosition;

    public FollowedSource(final SegmentStore store) throws IOException
    {
        this.store = store;
        identity = JournalMeta.read(store, false);
        layout = new Layout(identity.segmentLength);
        mark = new MarkView(store, identity.uuid);
        follower = new TailFollower(this, newWindow());
        metaFile = store.open(JournalFiles.META, SegmentStore.Access.READ);
        try
        {
            metaView = metaFile.map();
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
        return identity.uuid;
    }

    @Override
    public int segmentLength()
    {
        return identity.segmentLength;
    }

    @Override
    public JournalMeta.State state()
    {
        // Even if a slot is torn: as long as neither has a higher generation, there is no newer state.
        return isClosed || generation() == seenGeneration ? state : refresh();
    }

    /**
     * The state, for callers that {@link ReaderGate} does not exclude from {@link #close()}, which unmaps the file. The
     * monitor excludes them.
     */
    public synchronized JournalMeta.State currentState()
    {
        return state();
    }

    @Override
    public synchronized long lastSequence(final End which)
    {
        if (isClosed)
        {
            return 0;
        }

        advance(Math.max(MAX_STEP_LENGTH, 16L * layout.segmentLength));
        // The start may be beyond the end found so far, after a prune or if the state was forged.
        final long last = Math.max(lastSequence, state().startSequence - 1);
        return End.FORCED == which ? Math.min(last, durableSequence()) : last;
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
    public Segment openSegment(final long ordinal) throws IOException
    {
        return Segment.open(
            store, SegmentStore.Access.READ, false, identity.uuid, ordinal, identity.segmentLength);
    }

    @Override
    public Window newWindow()
    {
        return Window.of(store, WINDOW_LENGTH);
    }

    @Override
    public SegmentIndex index()
    {
        return index;
    }

    @Override
    public boolean isClosed()
    {
        return isClosed;
    }

    @Override
    public synchronized void checkWhole()
    {
        try
        {
            if (!isClosed)
            {
                metaFile.read(JournalMeta.LENGTH - 1, ByteBuffer.allocate(1));
            }
        }
        catch (final IOException ex)
        {
            throw cutShort(ex);
        }
    }

    public synchronized long firstSequence()
    {
        return state().startSequence;
    }

    /**
     * Sequence of the newest record that is known to be durable.
     */
    public synchronized long forcedSequence()
    {
        return isClosed ? state.startSequence - 1 : durableSequence();
    }

    /**
     * Closes the files. Readers must be quiesced.
     */
    @Override
    public synchronized void close()
    {
        if (!isClosed)
        {
            // A new object, so that readers refresh their end: nothing is readable any more.
            state = state.withoutIntent();
            isClosed = true;
            endPosition = 0;
            forcedPosition = 0;
            closeFiles();
        }
    }

    private void closeFiles()
    {
        CloseHelper.quietCloseAll(follower, mark, metaFile);
    }

    private long generation()
    {
        try
        {
            return Math.max(
                (long)LONG.getAcquire(metaView, Block.LENGTH), (long)LONG.getAcquire(metaView, 2 * Block.LENGTH));
        }
        catch (final InternalError ex)
        {
            throw cutShort(ex);
        }
    }

    private static JournalException cutShort(final Throwable ex)
    {
        return new JournalException("file was cut short: file=" + JournalFiles.META + "; restore it", ex);
    }

    /**
     * Reads the state again and adjusts the end to it.
     */
    private synchronized JournalMeta.State refresh()
    {
        if (isClosed)
        {
            return state;
        }

        try
        {
            final long generation = generation();
            final JournalMeta.State now = readMeta().state;
            if (now.generation != state.generation)
            {
                // Another writer may have replaced the mark file, and a segment under the same name.
                mark.close();
                forcedPosition = 0;
                follower.goTo(follower.position(), follower.nextSequence());
                if (now.epoch != state.epoch)
                {
                    cut(now);
                }
                if (follower.position() < now.startPosition)
                {
                    follower.goTo(now.startPosition, now.startSequence);
                }
                state = now;
            }
            // A slot that is being written is read again.
            seenGeneration = now.generation == generation ? generation : -1;
            return state;
        }
        catch (final IOException ex)
        {
            throw unreadable(ex);
        }
        catch (final InternalError ex)
        {
            // From reading the generations in mapped memory: such a fault surfaces late.
            throw cutShort(ex);
        }
    }

    private JournalMeta readMeta() throws IOException
    {
        for (int i = 1;; i++)
        {
            try
            {
                final JournalMeta meta = JournalMeta.read(store, false);
                if (!meta.uuid.equals(identity.uuid) || meta.segmentLength != identity.segmentLength)
                {
                    throw new CorruptJournalException(
                        "another journal took the place of this one: file=" + JournalFiles.META + ", offset=32" +
                            ", expected=" + identity.uuid + ", found=" + meta.uuid + "; open it anew");
                }
                return meta;
            }
            catch (final CorruptJournalException ex)
            {
                // Both slots may have been read in the middle of a write, one after the other.
                if (i == MAX_ATTEMPTS)
                {
                    throw ex;
                }
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Moves the end back to the last truncation if that is below it.
     */
    private void cut(final JournalMeta.State now) throws IOException
    {
        final JournalMeta.Cut cut = now.epoch == state.epoch + 1 ? now.cut : null;
        if (null == cut)
        {
            // The truncations of the epochs between are not known.
            findEnd();
        }
        else if (follower.position() > cut.position)
        {
            follower.goTo(cut.position, cut.sequence);
            publish();
        }
    }

    /**
     * Finds the end as recovery does, from the durable watermark.
     *
     * @return the state in which it was found.
     */
    private JournalMeta.State findEnd() throws IOException
    {
        String failure = "";
        for (int i = 0; i < MAX_ATTEMPTS; i++)
        {
            final JournalMeta meta = readMeta();
            try
            {
                final JournalScan scan = scan(meta);
                final JournalMeta.State now = readMeta().state;
                // Pruning does not move the end.
                if (now.epoch == meta.state.epoch && now.startPosition <= scan.end())
                {
                    follower.goTo(scan.end(), scan.nextSequence());
                    publish();
                    return now;
                }
            }
            catch (final CorruptJournalException | IOException ex)
            {
                // Files that are being changed may appear corrupt, but not twice in the same way.
                if (failure.equals(ex.getMessage()) && readMeta().state.generation == meta.state.generation)
                {
                    throw ex;
                }
                failure = String.valueOf(ex.getMessage());
            }
        }

        throw new JournalException("journal changes too quickly to be opened: try again");
    }

    private JournalScan scan(final JournalMeta meta) throws IOException
    {
        final JournalMeta.State state = meta.state;
        final MarkFile.Content content = MarkFile.read(store, meta.uuid);
        final long marked = content.forcedPosition(state);
        final List<Long> ordinals = SegmentSet.ordinalsFrom(store, layout.ordinal(state.startPosition));
        meta.checkPending(ordinals, marked);

        return JournalScan.follow(store, meta, ordinals, marked, !content.isForceUnfinished);
    }

    private synchronized long advancedEnd(final End which)
    {
        advance(STEP_LENGTH);
        if (End.FORCED == which && !isClosed)
        {
            forcedPosition = mark.poll(state.epoch) ? Math.min(endPosition, mark.position()) : 0;
            return forcedPosition;
        }

        return endPosition;
    }

    private long durableSequence()
    {
        // The sequence is 0 if it is not known, and below the start if it was forged.
        return mark.poll(state().epoch) && mark.nextSequence() > state.startSequence ?
            mark.nextSequence() - 1 : state.startSequence - 1;
    }

    /**
     * Lets the tail-follower read on.
     */
    private void advance(final long length)
    {
        for (int i = 0; i < MAX_ATTEMPTS && !isClosed; i++)
        {
            final JournalMeta.State before = state();
            try
            {
                if (isAdvanced(before, length))
                {
                    return;
                }
            }
            catch (final CorruptJournalException ex)
            {
                refuse(before, ex);
            }
            catch (final IOException ex)
            {
                refuse(before, unreadable(ex));
            }
        }
    }

    /**
     * Throws, unless a concurrent prune or truncation explains the failure.
     */
    private void refuse(final JournalMeta.State before, final JournalException ex)
    {
        if (state() == before)
        {
            throw ex;
        }
    }

    /**
     * @return whether the result is valid: no prune or truncation happened meanwhile.
     */
    private boolean isAdvanced(final JournalMeta.State state, final long length) throws IOException
    {
        // Watermark first: everything below it must be there when the tail-follower reads.
        final boolean isDurableKnown = mark.poll(state.epoch);
        final long durable = mark.position();
        if (isDurableKnown && null == state.pending)
        {
            skip(durable);
        }

        final long cap = null == state.pending ? Long.MAX_VALUE : state.pending.position;
        final boolean isDry = follower.advance(cap, length);
        if (state() != state)
        {
            return false;
        }

        publish();
        if (isDry && isDurableKnown && layout.place(durable) > follower.position() && follower.position() < cap)
        {
            throw new CorruptJournalException(
                "damage to what was forced: " + follower.found() + ", durablePosition=" + durable + ", endPosition=" +
                    follower.position() + "; restore the file from a backup");
        }
        return true;
    }

    /**
     * Lets the tail-follower skip to the segment of the watermark: readers check what they read themselves.
     */
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
