package io.journal.internal.write;

import java.io.IOException;
import java.util.concurrent.atomic.AtomicLong;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.segment.Segment;
import io.journal.store.SegmentStore.NoSpaceException;

/**
 * Takes the next segment when the appender rolls. If the disk is full, it first drops what retention does not keep:
 * while records stream in, segments that retention would drop may still have to be fsynced.
 */
public final class NextSegment
{
    private final SegmentAllocator allocator;
    private final Forcer forcer;
    private final Retaining retention;
    private final AtomicLong refusals = new AtomicLong();
    // That the journal had when retention was applied here.
    private long firstSequence;

    /**
     * @param retention of what is durable.
     */
    public NextSegment(final SegmentAllocator allocator, final Forcer forcer, final Retaining retention)
    {
        this.allocator = allocator;
        this.forcer = forcer;
        this.retention = retention;
    }

    /** Drops durable segments that retention does not keep. */
    @FunctionalInterface
    public interface Retaining
    {
        /**
         * @return the first sequence that is left.
         */
        long retain() throws IOException;
    }

    /**
     * For the appending thread.
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
        // Ends: before each round but the first, segments were dropped.
        while (true)
        {
            try
            {
                return allocator.take(forcer.forces());
            }
            catch (final NoSpaceException ex)
            {
                if (!isRoomMade(ex))
                {
                    throw ex;
                }
            }
        }
    }

    private boolean isRoomMade(final NoSpaceException full)
    {
        try
        {
            do
            {
                // The background agent may have dropped some.
                final long first = retention.retain();
                if (first != firstSequence)
                {
                    firstSequence = first;
                    return true;
                }
            }
            while (forcer.forceComplete(Long.MAX_VALUE));
        }
        catch (final IOException ex)
        {
            full.addSuppressed(ex);
        }
        return false;
    }

    /** Number of times {@link #take} found the disk full. Thread-safe. */
    long refusals()
    {
        return refusals.get();
    }
}
