package io.journal.internal.write;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.DirectoryForce;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.Segment;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.Block;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.observe.Events;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * Prepares the next segment, off the appending thread if the background agent keeps up.
 * <p>
 * A segment is created under a temporary name that recovery never trusts, filled, given its header and fsynced. Then it
 * is renamed, and the directory is fsynced. A crash between any two steps leaves either a file to be deleted or a
 * segment without a frame.
 */
public final class SegmentAllocator implements AutoCloseable
{
    private static final int MAX_SPARES = 2;

    private final SegmentStore store;
    private final JournalMeta identity;
    private final LongSupplier salts;
    private final EpochClock clock;
    private final FailureLatch latch;
    private final WriterFence fence;
    // Excludes one another: take by a roll, prepare by the background agent, recycle by a prune, and close and start by
    // a truncation.
    private final OrderedLock lock;

    // Files of pruned segments, under temporary names.
    private final Deque<String> spares = new ArrayDeque<>();
    private final AtomicLong refusals = new AtomicLong();
    private volatile Segment prepared;
    private boolean isWarm;
    private long nextOrdinal;
    // Ordinal of the oldest segment whose file may be recycled.
    private volatile long recyclableFrom = Long.MAX_VALUE;
    private volatile boolean isWanted;

    public SegmentAllocator(
        final SegmentStore store,
        final JournalMeta identity,
        final LongSupplier salts,
        final EpochClock clock,
        final FailureLatch latch,
        final WriterFence fence)
    {
        this.store = store;
        this.identity = identity;
        this.salts = salts;
        this.clock = clock;
        this.latch = latch;
        this.fence = fence;
        lock = new OrderedLock(LockLevel.WINDOW, latch);
    }

    /**
     * Starts preparing.
     *
     * @param ordinal   of the next segment.
     * @param isPresent whether that segment exists already, without a frame.
     */
    public void start(final long ordinal, final boolean isPresent) throws IOException
    {
        lock.lock();
        try
        {
            nextOrdinal = ordinal;
            if (isPresent)
            {
                prepared = open(ordinal);
            }
            isWanted = true;
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Enables recycling, restricted to files without holes.
     *
     * @param ordinal of the oldest segment that is known to be fully allocated on the device.
     */
    public void recycleFrom(final long ordinal)
    {
        recyclableFrom = ordinal;
    }

    /** Whether the next segment is ready. Thread-safe. */
    boolean isPrepared()
    {
        return null != prepared;
    }

    /** Number of times {@link #take()} found the disk full. Thread-safe. */
    long refusals()
    {
        return refusals.get();
    }

    public boolean isRecycling()
    {
        return Long.MAX_VALUE != recyclableFrom;
    }

    /**
     * Takes over the file of a pruned segment for reuse. No reader may use it any more.
     *
     * @return false if the file is not wanted; it is unchanged.
     */
    public boolean recycle(final long ordinal) throws IOException
    {
        lock.lock();
        try
        {
            if (spares.size() >= MAX_SPARES || ordinal < recyclableFrom)
            {
                return false;
            }

            final String spare = JournalFiles.spare(ordinal);
            store.rename(JournalFiles.segment(ordinal), spare);
            spares.add(spare);
            return true;
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Takes the next segment, prepared by the calling thread if it is not ready.
     *
     * @throws JournalFullException if the disk is full. Nothing is left behind; the call may be retried.
     * @throws JournalException     if the segment cannot be created. The call may be retried unless the journal failed.
     */
    Segment take()
    {
        lock.lock();
        try
        {
            fence.check();
            if (null == prepared)
            {
                prepared = make(nextOrdinal);
            }

            final Segment taken = prepared;
            prepared = null;
            isWarm = false;
            nextOrdinal++;
            isWanted = true;
            return taken;
        }
        catch (final NoSpaceException ex)
        {
            refusals.incrementAndGet();
            throw new JournalFullException(
                "no space for the next segment: bytes=" + identity.segmentLength + ", file=" +
                    JournalFiles.segment(nextOrdinal) +
                    "; free some space and append again",
                ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot make the next segment: file=" + JournalFiles.segment(nextOrdinal) + "; cause=" + ex, ex);
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Prepares the next segment if there is none, or loads it into memory if it existed on open. A failure is retried
     * by {@link #take()} only. A duty of the background agent.
     */
    public boolean prepare() throws IOException
    {
        if (!isWanted || !lock.tryLock())
        {
            return false;
        }

        try
        {
            if (!isWanted)
            {
                return false;
            }

            isWanted = false;
            if (null == prepared)
            {
                prepared = make(nextOrdinal);
            }
            else if (!isWarm)
            {
                prepared.file.warm();
            }
            isWarm = true;
            return true;
        }
        catch (final NoSpaceException ignore)
        {
            // The appender reports it when it needs the segment, unless there is space by then.
            return true;
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Stops preparing and closes the prepared segment, until {@link #start}.
     */
    @Override
    public void close()
    {
        lock.lock();
        try
        {
            isWanted = false;
            if (null != prepared)
            {
                prepared.close();
                prepared = null;
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    private Segment make(final long ordinal) throws IOException
    {
        final Object event = Events.INSTANCE.beginPrepare();
        final String name = JournalFiles.segment(ordinal);
        // Files are created by path, and another journal may be there by now.
        fence.check();
        // Present only if an earlier attempt failed after the rename: recovery has removed all others.
        store.delete(name);
        final String spare = spares.poll();
        if (null == spare)
        {
            Segment.create(
                store, identity.uuid, ordinal, identity.segmentLength, salts.getAsLong(), clock.time(), fence::check);
        }
        else
        {
            reuse(spare, ordinal);
        }
        DirectoryForce.force(store, latch);
        final Segment segment = open(ordinal);
        try
        {
            segment.file.warm();
            Events.INSTANCE.endPrepare(event, segment, null != spare);
            return segment;
        }
        catch (final Throwable ex)
        {
            segment.close();
            throw ex;
        }
    }

    /** Reuses the file of a pruned segment. The new salt invalidates the stale bytes of its previous use. */
    private void reuse(final String spare, final long ordinal) throws IOException
    {
        try
        {
            try (SegmentFile file = store.open(spare, SegmentStore.Access.WRITE))
            {
                // The second block is zero: the first frame reads as absent.
                final ByteBuffer blocks = Block.allocate(2);
                blocks.put(SegmentHeader.encode(
                    identity.uuid, ordinal, identity.segmentLength, salts.getAsLong(), clock.time(), true)).clear();
                file.write(0, blocks);
                file.force(0, blocks.capacity());
            }
            fence.check();
            store.rename(spare, JournalFiles.segment(ordinal));
        }
        catch (final IOException ex)
        {
            store.delete(spare);
            throw ex;
        }
    }

    private Segment open(final long ordinal) throws IOException
    {
        return Segment.open(
            store, SegmentStore.Access.WRITE, true, identity.uuid, ordinal, identity.segmentLength);
    }
}
