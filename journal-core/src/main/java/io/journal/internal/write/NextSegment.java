package io.journal.internal.write;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

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
    private final LongSupplier startPosition;
    private final Retaining retention;
    private final AtomicLong refusals = new AtomicLong();

    /**
     * @param startPosition of the journal: once it has advanced, there may be room.
     */
    public NextSegment(
        final SegmentAllocator allocator,
        final Forcer forcer,
        final FailureLatch latch,
        final LongSupplier startPosition,
        final Retaining retention)
    {
        this.allocator = allocator;
        this.forcer = forcer;
        this.latch = latch;
        this.startPosition = startPosition;
        this.retention = retention;
    }

    /** Drops durable segments that retention does not keep. */
    @FunctionalInterface
    public interface Retaining
    {
        /**
         * @return false if nothing can be dropped now, however much is durable.
         */
        boolean retain() throws IOException;
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
        // Ends: segments were dropped before each round but the first.
        while (true)
        {
            final long start = startPosition.getAsLong();
            try
            {
                return allocator.take(forcer.forces());
            }
            catch (final NoSpaceException ex)
            {
                if (!isRoomMade(start, ex))
                {
                    throw ex;
                }
            }
        }
    }

    private boolean isRoomMade(final long start, final NoSpaceException full)
    {
        boolean isRetaining;
        do
        {
            isRetaining = isRetaining(full);
            // The background agent may have dropped some, or a failure have come after that.
            if (startPosition.getAsLong() != start)
            {
                return true;
            }
        }
        while (isRetaining && forcer.forceComplete(Long.MAX_VALUE));
        return false;
    }

    private boolean isRetaining(final NoSpaceException full)
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
            return false;
        }
    }

    /** Number of times {@link #take} found the disk full. Thread-safe. */
    long refusals()
    {
        return refusals.get();
    }
}
