package io.journal.internal.write;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.WriterFence;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.observe.Events;
import io.journal.internal.segment.Segment;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Prepares the next segments, off the appending thread if the background agent keeps up.
 * <p>
 * One segment at most has its name before it is needed. While records stream in faster than they are fsynced, more
 * files are filled under temporary names, and their zeros are not fsynced: records overwrite them in the page cache.
 * See {@code docs/adr/0010-sustained-appending.md}.
 */
public final class SegmentAllocator implements AutoCloseable
{
    private static final long NONE = -1;
    // The background agent forces at an interval meanwhile, and the device serves other fsyncs.
    private static final int STEP_LENGTH = 1024 * 1024;
    private static final int MAX_SPARES = 2;
    private static final int MAX_AHEAD = 3;
    // Together with the prepared segment.
    private static final long MAX_AHEAD_LENGTH = 256L * 1024 * 1024;

    private final SegmentFactory factory;
    private final WriterFence fence;
    // Excludes one another: take by a roll that finds no segment, prepare by the background agent, recycle by a prune,
    // and close and start by a truncation.
    private final OrderedLock lock;

    private final AtomicReference<Segment> prepared = new AtomicReference<>();
    private final StreamDetector stream;
    // Whether a segment or a file ahead may be missing, or not be loaded. Also stored by the appending thread.
    private volatile boolean isBehind;

    // Guarded by the lock. Files of pruned segments, under temporary names.
    private final Deque<String> spares = new ArrayDeque<>();
    private final FilledFiles filled;
    // Ordinal of the next segment that gets its name.
    private long nextOrdinal;
    // Of a segment that takes several steps.
    private @Nullable Object prepareEvent;
    private boolean isWarm;
    private boolean isDiskTight;
    // Ordinal of the oldest segment whose file may be recycled.
    private volatile long recyclableFrom = Long.MAX_VALUE;

    public SegmentAllocator(
        final SegmentFactory factory,
        final DirectoryLock directoryLock,
        final FailureLatch latch,
        final WriterFence fence)
    {
        this.factory = factory;
        this.fence = fence;
        filled = new FilledFiles(factory, directoryLock, fence);
        stream = new StreamDetector(factory.length());
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
                prepared.set(factory.open(ordinal));
                nextOrdinal++;
            }
            isWarm = !isPresent;
            filled.start(nextOrdinal);
            isDiskTight = false;
            resume();
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Takes the next segment, prepared by the calling thread if it is not ready. A failure leaves nothing behind; the
     * call may be retried.
     *
     * @param forces number of fsyncs so far that a thread has waited for.
     * @throws NoSpaceException if the disk is full.
     */
    Segment take(final long forces) throws IOException
    {
        fence.check();
        final Segment ready = prepared.getAndSet(null);
        final Segment taken = null == ready ? makeNow() : ready;
        stream.segmentTaken(forces, null == ready, maxAhead());
        isBehind = true;
        return taken;
    }

    private Segment makeNow() throws IOException
    {
        lock.lock();
        try
        {
            // The background agent may have been at it.
            final Segment ready = prepared.getAndSet(null);
            if (null != ready)
            {
                return ready;
            }

            if (!isNextFilled())
            {
                fillNext(false, factory.length());
            }
            return make();
        }
        finally
        {
            lock.unlock();
        }
    }

    private int maxAhead()
    {
        return (int)Math.max(0, Math.min(MAX_AHEAD, MAX_AHEAD_LENGTH / factory.length() - 1));
    }

    /**
     * Prepares a segment if one is missing, or loads the first one into memory if it existed on open. One step of it:
     * the agent has other duties. A failure is retried by {@link #take} only. A duty of the background agent.
     */
    public boolean prepare() throws IOException
    {
        if (!isBehind || !lock.tryLock())
        {
            return false;
        }

        try
        {
            if (!isBehind)
            {
                return false;
            }

            isBehind = false;
            final Segment ready = prepared.get();
            if (null == ready)
            {
                prepareNext();
            }
            else if (!isWarm)
            {
                isWarm = true;
                ready.file.warm();
            }
            else if (isMoreWanted())
            {
                filled.fill(false, STEP_LENGTH);
            }
            // Not |=, which would overwrite what the appender stores meanwhile.
            if (null == prepared.get() || isMoreWanted())
            {
                isBehind = true;
            }
            return true;
        }
        catch (final NoSpaceException ignore)
        {
            // The appender reports it when it needs the segment, unless there is space by then.
            isDiskTight = true;
            return true;
        }
        finally
        {
            lock.unlock();
        }
    }

    private void prepareNext() throws IOException
    {
        if (!isNextFilled())
        {
            fillNext(!stream.isStreaming(), STEP_LENGTH);
        }
        if (isNextFilled())
        {
            prepared.set(make());
        }
    }

    /** Whether a segment or a file ahead may be missing. Thread-safe. */
    public boolean isBehind()
    {
        return isBehind;
    }

    private boolean isMoreWanted()
    {
        // Where files are recycled, pruning supplies them, as long as it keeps up.
        return !isDiskTight && spares.isEmpty() && filled.end() - nextOrdinal < stream.wantedAhead();
    }

    private boolean isNextFilled()
    {
        return filled.has(nextOrdinal) || !spares.isEmpty();
    }

    private void fillNext(final boolean isForced, final int maxLength) throws IOException
    {
        final Object event = takeEvent();
        filled.fill(isForced, maxLength);
        prepareEvent = event;
    }

    /** The event of the steps before, or a new one. It is lost if this step fails. */
    private Object takeEvent()
    {
        final Object event = null == prepareEvent ? Events.INSTANCE.beginPrepare() : prepareEvent;
        prepareEvent = null;
        return event;
    }

    /** Makes the next segment: of a file that is filled, or of a pruned one. */
    private Segment make() throws IOException
    {
        final Object event = takeEvent();
        final long ordinal = nextOrdinal;
        factory.clear(ordinal);
        final boolean isRecycled = !filled.has(ordinal);
        if (isRecycled)
        {
            // One may be half filled.
            filled.deleteFrom(ordinal);
        }
        final String spare = isRecycled ? spares.remove() : JournalFiles.spare(ordinal);
        final Segment segment;
        try
        {
            if (isRecycled)
            {
                factory.reuse(spare, ordinal);
            }
            segment = factory.name(spare, ordinal);
        }
        catch (final Throwable ex)
        {
            if (isRecycled)
            {
                deleteAfter(ex, spare);
            }
            filled.deleteFrom(ordinal);
            throw ex;
        }
        nextOrdinal++;
        filled.taken(ordinal);
        Events.INSTANCE.endPrepare(event, factory.journal(), segment, isRecycled);
        return segment;
    }

    private void deleteAfter(final Throwable failure, final String spare)
    {
        try
        {
            factory.delete(spare);
        }
        catch (final IOException | JournalException ex)
        {
            // The original failure is the more useful one to report.
            failure.addSuppressed(ex);
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

    public boolean isRecycling()
    {
        return Long.MAX_VALUE != recyclableFrom;
    }

    /**
     * Takes over the file of a pruned segment for reuse. No reader may use it any more.
     *
     * @return false if the file is not wanted, or not usable; it is unchanged.
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

            final String spare = factory.retire(ordinal);
            return null != spare && spares.add(spare);
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Whether the next segment is ready. Thread-safe. */
    public boolean isPrepared()
    {
        return null != prepared.get();
    }

    /**
     * Stops preparing until {@link #start} or {@link #resume}, and deletes what was filled ahead.
     *
     * @return whether the segment of an ordinal is prepared, and stays so. It holds no frame.
     */
    public boolean suspend(final long ordinal)
    {
        lock.lock();
        try
        {
            isBehind = false;
            prepareEvent = null;
            filled.deleteFrom(nextOrdinal);
            // What is deleted now, and truncated next, may have been what took the space.
            isDiskTight = false;
            final Segment ready = prepared.get();
            final boolean isKept = null != ready && ordinal == ready.ordinal;
            if (!isKept)
            {
                CloseHelper.close(prepared.getAndSet(null));
            }
            return isKept;
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Continues with the segment that {@link #suspend} kept. */
    public void resume()
    {
        stream.reset();
        isBehind = true;
    }

    /** File of the next segment to be taken. For the appending thread, as long as none is prepared. */
    String nextName()
    {
        return JournalFiles.segment(nextOrdinal);
    }

    int segmentLength()
    {
        return factory.length();
    }

    /**
     * Stops preparing, closes the prepared segment and deletes what was filled ahead.
     */
    @Override
    public void close()
    {
        suspend(NONE);
    }
}
