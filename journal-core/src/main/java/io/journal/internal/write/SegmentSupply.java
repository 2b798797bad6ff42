// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.control.WriterFence;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.observe.Events;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentFilling;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Supplies the space that records are appended to: the rest of the newest segment, and the next segments.
 * <ul>
 * <li>A file gets a segment's name once its length and its header are durable. One segment at most has its name before
 * it is needed, so recovery finds one without a frame at most.
 * <li>Appending goes no further than {@link Segment#filledEnd()}. Below it the file has its space, because this process
 * wrote zeros there: a store through a mapping cannot fail, and a full disk is met before a record is composed. New
 * segments are filled before they get their name. Of those that an opening finds nothing is known: a sparse copy has
 * holes, and a power loss ends a reservation. They are filled from the end of the records on, ahead of the tail.
 * <li>Zeros are written only at and behind {@code filledEnd}, under the lock, and it rises after that: no record is
 * overwritten. It is so in recycled files, too, whose stale bytes would do as well: one rule for all of them.
 * <li>The background agent fills in steps, and attends to other duties in between. The appending thread fills what it
 * needs itself if it catches up. Zeros are fsynced by the agent, so that the fsync of a record need not allocate
 * blocks, unless records stream in faster than they are fsynced. Then more files are filled ahead, under temporary
 * names. See {@code docs/adr/0002-preparing-segments.md}.
 * <li>If the disk is full, the appending thread drops what retention does not keep before it refuses a record.
 * </ul>
 */
public final class SegmentSupply implements AutoCloseable
{
    // The background agent forces at an interval meanwhile, and the device serves other fsyncs.
    private static final int STEP_LENGTH = 1024 * 1024;
    // A stream fills a segment in less time, and is fsynced less often than once for each of these lengths.
    private static final long STREAM_NS = TimeUnit.SECONDS.toNanos(1);
    private static final int STREAM_FORCE_LENGTH = 1024 * 1024;
    private static final int MAX_PRUNED = 2;
    private static final int MAX_AHEAD = 3;
    // Together with the prepared segment.
    private static final long MAX_AHEAD_LENGTH = 256L * 1024 * 1024;
    // Complete segments whose fsync is deferred while the supply is behind: no more than either of these.
    private static final long MAX_DEFERRED_LENGTH = 256L * 1024 * 1024;
    private static final int MAX_DEFERRED = 8;
    private static final int MAX_UNFORCED = 15;

    private final SegmentFactory factory;
    private final Forcer forcer;
    private final FailureLatch latch;
    private final WriterFence fence;
    private final Retaining retention;
    private final int segmentLength;
    private final AtomicLong refusals = new AtomicLong();
    // Excludes one another: filling, making and recycling segments.
    private final OrderedLock lock;

    private volatile Segment newest;
    private final AtomicReference<Segment> prepared = new AtomicReference<>();
    // Whether there may be something to fill or to prepare. Also stored by the appending thread.
    private volatile boolean isBehind;
    private volatile boolean isStreaming;
    private volatile int wantedAhead;
    // Ordinal of the oldest segment whose file is recycled: it has no hole.
    private volatile long recyclableFrom = Long.MAX_VALUE;
    // Confined to the appending thread.
    private long takenNs;
    private long takenForces;
    private boolean isRefused;

    // Guarded by the lock. Files of pruned segments, under temporary names.
    private final Deque<String> pruned = new ArrayDeque<>();
    // Files of the next segments under temporary names. Closed once they are filled: all but the last one are.
    private final Deque<Segment> ahead = new ArrayDeque<>();
    // Ordinal of the next segment that gets its name.
    private long nextOrdinal;
    // Of a segment that takes several steps.
    private @Nullable Object prepareEvent;
    // Whether the agent has met a full disk. Other files get the space then.
    private boolean isDiskTight;

    public SegmentSupply(
        final SegmentFactory factory,
        final Forcer forcer,
        final WriterFence fence,
        final FailureLatch latch,
        final Retaining retention)
    {
        this.factory = factory;
        this.forcer = forcer;
        this.latch = latch;
        this.fence = fence;
        this.retention = retention;
        segmentLength = factory.length;
        lock = new OrderedLock(LockLevel.WINDOW, latch);
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

    private interface Attempt
    {
        void run() throws IOException;
    }

    /**
     * Starts at the end that an opening found, and fills the first step behind it.
     *
     * @param segment       the newest one.
     * @param offset        of the end in it.
     * @param isNextPresent whether the next segment exists already, without a frame.
     * @param isNew         whether the journal is new.
     * @param isRecycling   whether files of pruned segments are used again: only those that this process has filled,
     *                      since others may have holes.
     * @throws NoSpaceException if the disk has no space for the first step of a new journal. One that exists is opened
     *                          all the same, to be read and pruned: the append that needs the space reports it.
     */
    public void start(
        final Segment segment, final int offset, final boolean isNextPresent, final boolean isNew,
        final boolean isRecycling) throws IOException
    {
        segment.filledEnd(offset);
        locked(() ->
        {
            newest = segment;
            nextOrdinal = segment.ordinal + 1;
            if (isNextPresent)
            {
                final Segment next = factory.open(nextOrdinal);
                next.filledEnd(SegmentHeader.LENGTH);
                prepared.set(next);
                nextOrdinal++;
            }
            recyclableFrom = isRecycling ? segment.ordinal + (isNew ? 0 : 1) : Long.MAX_VALUE;
            resume();
            fillOpen(segment, isNew ? segmentLength : 0);
        });
    }

    private void locked(final Attempt attempt) throws IOException
    {
        lock.lock();
        try
        {
            attempt.run();
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Takes the next segment, made by the calling thread if it is not ready.
     *
     * @throws JournalFullException if the disk is full. Nothing is left behind; the call may be retried.
     * @throws JournalException     if the segment cannot be made. The call may be retried unless the journal failed.
     */
    Segment take()
    {
        final boolean isOutrun = !isPrepared();
        inAnyRoom("the next segment", JournalFiles.segment(newest.ordinal + 1), segmentLength, this::prepareNow);
        final Segment next = prepared.get();
        fill(next, SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH);
        if (newest.ordinal >= recyclableFrom && !isFilled(newest))
        {
            recyclableFrom = next.ordinal;
        }
        newest = next;
        prepared.set(null);
        detectStream(isOutrun);
        isBehind = true;
        return next;
    }

    /**
     * Whether records stream in faster than they are fsynced, and how many files to fill ahead then: from the segment
     * that is full now.
     *
     * @param isOutrun whether the appender has found no segment prepared.
     */
    private void detectStream(final boolean isOutrun)
    {
        final long nowNs = System.nanoTime();
        final long forces = forcer.forces();
        isStreaming = nowNs - takenNs < STREAM_NS && forces - takenForces <= segmentLength / STREAM_FORCE_LENGTH;
        takenNs = nowNs;
        takenForces = forces;
        if (!isStreaming)
        {
            wantedAhead = 0;
        }
        else if (isOutrun)
        {
            wantedAhead = (int)Math.max(0, Math.min(MAX_AHEAD, MAX_AHEAD_LENGTH / segmentLength - 1));
        }
    }

    /**
     * Fills a segment for frames up to an offset, unless it is filled that far. For the appending thread.
     *
     * @throws JournalFullException if the disk is full. Nothing is lost; the call may be retried.
     */
    void fill(final Segment segment, final int end)
    {
        while (end > limit(segment))
        {
            inAnyRoom(
                "the rest of the segment", segment.name(), segmentLength - segment.filledEnd(),
                () -> fillNow(segment, end));
        }
    }

    /** Offset up to which frames may be composed: what looks for a frame behind them must not meet a hole. */
    static int limit(final Segment segment)
    {
        final int filledEnd = segment.filledEnd();
        return segment.length == filledEnd ? filledEnd : filledEnd - FrameHeader.LENGTH;
    }

    /** Makes an attempt, and again as long as that, or the background agent, drops what retention does not keep. */
    private void inAnyRoom(final String what, final String file, final int length, final Attempt attempt)
    {
        try
        {
            fence.check();
            long start = Retaining.NOT_APPLIED;
            boolean isDone = false;
            while (!isDone)
            {
                try
                {
                    attempt.run();
                    isDone = true;
                }
                catch (final NoSpaceException ex)
                {
                    start = makeRoom(start, ex);
                }
                isRefused = false;
            }
        }
        catch (final NoSpaceException ex)
        {
            isRefused = true;
            refusals.incrementAndGet();
            throw new JournalFullException(
                "no space for " + what + ": bytes=" + length + ", file=" + file + "; free some space and append again",
                ex);
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot make " + what + ": file=" + file + "; cause=" + ex, ex);
        }
    }

    /** Drops, and fsyncs for that, until the journal begins behind a position. Returns where it begins in the end. */
    private long makeRoom(final long start, final NoSpaceException full) throws NoSpaceException
    {
        long now = retain(full);
        boolean isMore = true;
        while (now == start && Retaining.NOT_APPLIED != now && isMore)
        {
            // While records stream in, segments that retention would drop may still have to be fsynced.
            isMore = forcer.forceComplete(Long.MAX_VALUE);
            // Also if none was left: the background agent may have fsynced the last one meanwhile.
            now = retain(full);
        }
        if (Retaining.NOT_APPLIED == now || now == start)
        {
            throw full;
        }
        return now;
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

    private void prepareNow() throws IOException
    {
        if (!isPrepared())
        {
            locked(() ->
            {
                // The background agent may have been at it.
                if (!isPrepared())
                {
                    checkSpace();
                    // The appending thread is faster than an agent that fsyncs each step.
                    isStreaming = true;
                    prepareNext(segmentLength, false);
                }
            });
        }
    }

    /**
     * After a refusal, refuses at once where the file system reports too little space: the attempt would take the last
     * of it, each time, from whoever else needs some.
     */
    private void checkSpace() throws NoSpaceException
    {
        final int missing = segmentLength - (isFillingAhead() ? ahead.getLast().filledEnd() : 0);
        if (isRefused && !isNextFilled() && factory.store.freeSpace() < missing)
        {
            throw new NoSpaceException(
                "no space left: file=" + JournalFiles.spare(nextOrdinal) + ", missing=" + missing, null);
        }
    }

    private void fillNow(final Segment segment, final int end) throws IOException
    {
        locked(() ->
        {
            if (end > limit(segment))
            {
                isStreaming = true;
                fillOpen(segment, end);
                isBehind = true;
            }
        });
    }

    /**
     * Fills one step of a segment that has its name.
     *
     * @param needed offset up to which frames are to be composed: if the step fails behind that, as on a full disk,
     *               what is filled counts.
     */
    private void fillOpen(final Segment segment, final int needed) throws IOException
    {
        try
        {
            fillStep(segment, STEP_LENGTH);
        }
        catch (final IOException ex)
        {
            if (needed > limit(segment))
            {
                throw ex;
            }
        }
    }

    private void fillStep(final Segment segment, final int maxLength) throws IOException
    {
        final int end = SegmentFilling.stepEnd(segment.filledEnd(), segmentLength, maxLength);
        while (segment.filledEnd() < end)
        {
            // Another writer may have appended here.
            fence.checkOwned();
            SegmentFilling.write(segment, end, factory.store.memory(), isStreaming);
        }
    }

    /**
     * Fills or prepares what is missing. One step of it: the agent has other duties. If the disk is full, only the
     * appending thread tries again. A duty of the background agent.
     */
    public boolean prepare() throws IOException
    {
        if (!isBehind || !lock.tryLock())
        {
            return false;
        }

        Segment filled = null;
        int from = 0;
        try
        {
            if (!isBehind)
            {
                return false;
            }

            isBehind = false;
            filled = retainUnfilled();
            if (null != filled)
            {
                from = filled.filledEnd();
                fillOpen(filled, segmentLength);
            }
            else if (!isPrepared())
            {
                prepareNext(STEP_LENGTH, !isStreaming);
            }
            else if (isMoreWanted())
            {
                fillAhead(STEP_LENGTH, false);
            }
            // Not |=, which would overwrite what the appender stores meanwhile.
            if (isMissing())
            {
                isBehind = true;
            }
        }
        catch (final NoSpaceException ignore)
        {
            // The appender reports it when it needs the space, unless there is some by then.
            isDiskTight = true;
        }
        finally
        {
            lock.unlock();
            end(filled, from);
        }
        return true;
    }

    /** The segment to be filled next, with the calling thread as its user; null if there is none. */
    private @Nullable Segment retainUnfilled()
    {
        final Segment unfilled = isFilled(newest) ? prepared.get() : newest;
        return isFilled(unfilled) || !unfilled.retain() ? null : unfilled;
    }

    private boolean isFilled(final @Nullable Segment segment)
    {
        return null == segment || segment.filledEnd() == segmentLength;
    }

    private boolean isMissing()
    {
        return !isFilled(newest) || !isPrepared() || !isFilled(prepared.get()) || isMoreWanted();
    }

    /** Fsyncs what a step has filled, as any fsync of a file with records, and spares the appender the page faults. */
    private void end(final @Nullable Segment filled, final int from) throws IOException
    {
        if (null != filled)
        {
            try
            {
                if (!isStreaming && latch.isOpen() && from < filled.filledEnd())
                {
                    forcer.forceZeros(filled, from, filled.filledEnd());
                }
                // Not earlier: an fsync takes the write access of a mapping away.
                filled.file.warm(from, filled.filledEnd());
            }
            finally
            {
                filled.close();
            }
        }
    }

    /** Makes the next segment, if its file is filled after one more step. */
    private void prepareNext(final int maxLength, final boolean isForced) throws IOException
    {
        if (!isNextFilled())
        {
            fillAhead(maxLength, isForced);
        }
        if (isNextFilled())
        {
            prepared.set(make());
        }
    }

    private boolean isMoreWanted()
    {
        // Where files are recycled, pruning supplies them, as long as it keeps up.
        return !isDiskTight && pruned.isEmpty() && filledAhead() < wantedAhead;
    }

    private boolean isNextFilled()
    {
        return filledAhead() > 0 || !pruned.isEmpty();
    }

    private int filledAhead()
    {
        return ahead.size() - (isFillingAhead() ? 1 : 0);
    }

    private boolean isFillingAhead()
    {
        return !isFilled(ahead.peekLast());
    }

    /** Fills some of the last file, which is begun if need be. A failure leaves none of it. */
    private void fillAhead(final int maxLength, final boolean isForced) throws IOException
    {
        final Object event = takeEvent();
        if (!isFillingAhead())
        {
            ahead.add(factory.create(nextOrdinal + ahead.size()));
        }
        final Segment last = ahead.getLast();
        try
        {
            // The next step may be a while after the last one.
            fence.check();
            fillStep(last, maxLength);
            if (isForced)
            {
                last.file.force(0, last.filledEnd());
            }
        }
        catch (final Throwable ex)
        {
            ahead.removeLast().close();
            factory.deleteAfter(ex, JournalFiles.spare(last.ordinal));
            throw ex;
        }
        if (isFilled(last))
        {
            last.close();
        }
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
        final boolean isRecycled = 0 == filledAhead();
        if (isRecycled)
        {
            // The file of this ordinal may be half filled.
            deleteAhead();
        }
        final String spare = isRecycled ? pruned.remove() : JournalFiles.spare(ahead.remove().ordinal);
        final Segment segment;
        try
        {
            segment = factory.name(spare, nextOrdinal, isRecycled);
        }
        catch (final Throwable ex)
        {
            // The first of these is not that of the next segment.
            deleteAhead();
            throw ex;
        }
        nextOrdinal++;
        Events.INSTANCE.endPrepare(event, latch.journal(), segment, isRecycled);
        return segment;
    }

    private void deleteAhead()
    {
        try
        {
            while (!ahead.isEmpty())
            {
                final Segment last = ahead.removeLast();
                CloseHelper.close(isFilled(last) ? null : last);
                factory.delete(JournalFiles.spare(last.ordinal));
            }
        }
        catch (final IOException | JournalException ignore)
        {
            // The next opening deletes them, unless another writer has the journal already.
            ahead.clear();
        }
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
            if (pruned.size() >= MAX_PRUNED || ordinal < recyclableFrom)
            {
                return false;
            }

            final String spare = factory.retire(ordinal);
            return null != spare && pruned.add(spare);
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Whether the next segment has its name. Thread-safe. */
    public boolean isPrepared()
    {
        return null != prepared.get();
    }

    /** Number of times the appending thread found the disk full. Thread-safe. */
    public long refusals()
    {
        return refusals.get();
    }

    /**
     * Fsyncs the oldest complete segment, so that a later fsync has less to do, unless that can wait: preparing
     * segments for records that stream in is more urgent, up to a limit. A duty of the background agent.
     */
    public boolean forceComplete()
    {
        final int maxDeferred = (int)Math.min(MAX_DEFERRED, MAX_DEFERRED_LENGTH / segmentLength);
        final boolean isDeferred = isBehind && forcer.backlog() - 1 <= maxDeferred;
        return !isDeferred && forcer.forceComplete(Long.MAX_VALUE);
    }

    /** Fsyncs the oldest complete segment if there are too many. By the appending thread, when it has rolled. */
    public void rolled()
    {
        if (forcer.backlog() - 1 > MAX_UNFORCED)
        {
            forcer.forceComplete(Long.MAX_VALUE);
        }
    }

    /** Fills files ahead again after a full disk has ended that: segments that were truncated have been deleted. */
    public void spaceFreed()
    {
        lock.lock();
        try
        {
            isDiskTight = false;
            isBehind = true;
        }
        finally
        {
            lock.unlock();
        }
    }

    private void resume()
    {
        isStreaming = false;
        wantedAhead = 0;
        takenNs = System.nanoTime();
        isBehind = true;
    }

    /**
     * Stops preparing, closes the prepared segment and deletes what was filled ahead.
     */
    @Override
    public void close()
    {
        lock.lock();
        try
        {
            isBehind = false;
            prepareEvent = null;
            deleteAhead();
            CloseHelper.close(prepared.getAndSet(null));
        }
        finally
        {
            lock.unlock();
        }
    }
}
