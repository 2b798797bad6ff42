package io.journal.internal.write;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.segment.Segment;
import io.journal.store.SegmentStore.NoSpaceException;

/**
 * Takes the next segment when the appender rolls. If the disk is full, it first drops what retention does not keep:
 * while records stream in, segments that retention would drop may still have to be fsynced. For the appending thread,
 * except {@link #refusals()}.
 */
public final class NextSegment
{
    private final SegmentAllocator allocator;
    private final Forcer forcer;
    private final FailureLatch latch;
    private final Retaining retention;
    private final AtomicLong refusals = new AtomicLong();

    public NextSegment(
        final SegmentAllocator allocator,
        final Forcer forcer,
        final FailureLatch latch,
        final Retaining retention)
    {
        this.allocator = allocator;
        this.forcer = forcer;
        this.latch = latch;
        this.retention = retention;
    }

    /** Drops durable segments that retention does not keep. */
    @FunctionalInterface
    public interface Retaining
    {
        long NOT_APPLIED = -1;

        /**
         * Deletes them.
         *
         * @return position where the journal begins now, with nothing left of what was before it: if it has advanced
         *         since the last call, the background agent may have been at it, too. {@link #NOT_APPLIED} if nothing
         *         can be dropped, however much is durable.
         */
        long retain() throws IOException;
    }

    /**
     * Takes it.
     *
     * @throws JournalFullException if the disk is full. Nothing is left behind; the call may be retried.
     * @throws JournalException     if the segment cannot be created. The call may be retried unless the journal failed.
     */
    Segment take()
    {
        try
        {
            return takeInAnyRoom();
        }
        catch (final NoSpaceException ex)
        {
            refusals.incrementAndGet();
            throw new JournalFullException(
                "no space for the next segment: bytes=" + allocator.segmentLength() + ", file=" +
                    allocator.nextName() + "; free some space and append again",
                ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot make the next segment: file=" + allocator.nextName() + "; cause=" + ex, ex);
        }
    }

    private Segment takeInAnyRoom() throws IOException
    {
        long start = Retaining.NOT_APPLIED;
        while (true)
        {
            try
            {
                return allocator.take(forcer.forces());
            }
            catch (final NoSpaceException ex)
            {
                final long next = makeRoom(start, ex);
                if (start == next)
                {
                    throw ex;
                }
                start = next;
            }
        }
    }

    /** Drops, and fsyncs for that, until the journal begins behind a position. Returns where it begins in the end. */
    private long makeRoom(final long start, final NoSpaceException full)
    {
        long now = retain(full);
        boolean isMore = true;
        while (now == start && Retaining.NOT_APPLIED != now && isMore)
        {
            isMore = forcer.forceComplete(Long.MAX_VALUE);
            // Also if none was left: the background agent may have fsynced the last one meanwhile.
            now = retain(full);
        }

        return Retaining.NOT_APPLIED == now ? start : now;
    }

    private long retain(final NoSpaceException full)
    {
        try
        {
            return retention.retain();
        }
        catch (final IOException | JournalException ex)
        {
            // The background agent, which meets the same, reports it.
            full.addSuppressed(ex);
            latch.checkStorage();
            return Retaining.NOT_APPLIED;
        }
    }

    /** Number of times {@link #take} found the disk full. Thread-safe. */
    public long refusals()
    {
        return refusals.get();
    }
}
