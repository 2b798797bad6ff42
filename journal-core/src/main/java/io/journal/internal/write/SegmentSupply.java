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
 * names. See {@code docs/adr/0010-sustained-appending.md}.
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
    // The first watermark frame of a segment.
    private static final int BEGUN = SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH;

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

    // Guarded by the lock. Files of pruned segments, under temporary names.
    private final Deque<String> pruned = new ArrayDeque<>();
    // Ordinals of the next segment that gets its name, and of the first one whose file is not filled.
    private long nextOrdinal;
    private long filledOrdinal;
    private @Nullable SegmentFilling filling;
    // Of a segment that takes several steps.
    private @Nullable Object prepareEvent;
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
        segmentLength = factory.length();
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
     * @param isNew         whether the journal is new: then the first step must succeed.
     * @param isRecycling   whether files of pruned segments are used again: only those that this process has filled,
     *                      since others may have holes.
     * @throws NoSpaceException if the disk has no space for that. A journal that exists is opened all the same: to be
     *                          read and pruned.
     */
    public void start(
        final Segment segment, final int offset, final boolean isNextPresent, final boolean isNew,
        final boolean isRecycling) throws IOException
    {
        lock.lock();
        try
        {
            newest = segment;
            segment.filledEnd(offset);
            nextOrdinal = segment.ordinal + 1;
            if (isNextPresent)
            {
                final Segment next = factory.open(nextOrdinal);
                next.filledEnd(SegmentHeader.LENGTH);
                prepared.set(next);
                nextOrdinal++;
            }
            filledOrdinal = nextOrdinal;
            recyclableFrom = isRecycling ? segment.ordinal + (isNew ? 0 : 1) : Long.MAX_VALUE;
            resume();
            fillStep(segment, isNew ? segmentLength : 0);
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
        final Segment full = newest;
        if (full.ordinal >= recyclableFrom && full.filledEnd() < segmentLength)
        {
            recyclableFrom = full.ordinal + 1;
        }
        newest = prepared.get();
        prepared.set(null);
        detectStream(isOutrun);
        isBehind = true;
        return newest;
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
                "the rest of the segment", segment.name(), SegmentFilling.stepEnd(0, segmentLength, STEP_LENGTH),
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
                    final long next = makeRoom(start, ex);
                    if (start == next)
                    {
                        throw ex;
                    }
                    start = next;
                }
            }
        }
        catch (final NoSpaceException ex)
        {
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
    private long makeRoom(final long start, final NoSpaceException full)
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

    private void prepareNow() throws IOException
    {
        final Segment ready = prepared.get();
        if (null != ready && isBegun(ready))
        {
            return;
        }

        lock.lock();
        try
        {
            // The background agent may have been at it.
            if (null == prepared.get())
            {
                if (!isNextFilled())
                {
                    checkSpace();
                    fillNext(segmentLength, false);
                }
                prepared.set(make());
            }
            else if (!isBegun(prepared.get()))
            {
                fillStep(prepared.get(), BEGUN);
            }
        }
        catch (final NoSpaceException ex)
        {
            isDiskTight = true;
            throw ex;
        }
        finally
        {
            lock.unlock();
        }
    }

    private static boolean isBegun(final Segment segment)
    {
        return limit(segment) >= BEGUN;
    }

    /**
     * After a refusal, refuses at once where the file system reports too little space: the attempt would take the last
     * of it, each time, from whoever else needs some.
     */
    private void checkSpace() throws NoSpaceException
    {
        if (isDiskTight && !factory.isSpaceLikely())
        {
            throw new NoSpaceException(
                "no space left: file=" + JournalFiles.spare(nextOrdinal) + ", missing=" + segmentLength, null);
        }
    }

    private void fillNow(final Segment segment, final int end) throws IOException
    {
        lock.lock();
        try
        {
            if (end > limit(segment))
            {
                // The appending thread is faster than an agent that fsyncs each step.
                isStreaming = true;
                fillStep(segment, end);
                isBehind = true;
            }
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Fills one step of an open segment.
     *
     * @param needed offset up to which frames are to be composed: if the disk has room for that, but not for the whole
     *               step, what there is counts.
     */
    private void fillStep(final Segment segment, final int needed) throws IOException
    {
        final int from = segment.filledEnd();
        final int end = SegmentFilling.stepEnd(from, segmentLength, STEP_LENGTH);
        try
        {
            while (segment.filledEnd() < end)
            {
                // Another writer may have appended here.
                fence.checkOwned();
                segment.filledEnd(SegmentFilling.writeZeros(
                    segment.file, segment.filledEnd(), end, factory.memory(), isStreaming));
            }
        }
        catch (final NoSpaceException ex)
        {
            if (needed > limit(segment))
            {
                throw ex;
            }
        }
        finally
        {
            segment.file.warm(from, segment.filledEnd());
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
                fillStep(filled, segmentLength);
            }
            else if (null == prepared.get())
            {
                prepareNext();
            }
            else if (isMoreWanted())
            {
                fillNext(STEP_LENGTH, false);
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
        final Segment newest = this.newest;
        if (newest.filledEnd() < segmentLength && newest.retain())
        {
            return newest;
        }

        final Segment next = prepared.get();
        return null != next && next.filledEnd() < segmentLength && next.retain() ? next : null;
    }

    private boolean isMissing()
    {
        final Segment next = prepared.get();
        return newest.filledEnd() < segmentLength || null == next || next.filledEnd() < segmentLength || isMoreWanted();
    }

    /** Fsyncs what a step has filled, as any fsync of a file with records. */
    private void end(final @Nullable Segment filled, final int from)
    {
        if (null != filled)
        {
            try
            {
                if (!isStreaming && latch.isOpen() && from < filled.filledEnd())
                {
                    forcer.forceZeros(filled, from, filled.filledEnd());
                }
            }
            finally
            {
                filled.close();
            }
        }
    }

    private void prepareNext() throws IOException
    {
        if (!isNextFilled())
        {
            fillNext(STEP_LENGTH, !isStreaming);
        }
        if (isNextFilled())
        {
            prepared.set(make());
        }
    }

    private boolean isMoreWanted()
    {
        // Where files are recycled, pruning supplies them, as long as it keeps up.
        return !isDiskTight && pruned.isEmpty() && filledOrdinal - nextOrdinal < wantedAhead;
    }

    private boolean isNextFilled()
    {
        return nextOrdinal < filledOrdinal || !pruned.isEmpty();
    }

    /** Fills some of the file at the end, which is begun if need be. A failure leaves no file. */
    private void fillNext(final int maxLength, final boolean isForced) throws IOException
    {
        // The next step may be a while after the last one.
        fence.check();
        final Object event = takeEvent();
        final SegmentFilling filling = null == this.filling ? factory.fill(filledOrdinal) : this.filling;
        // Failing deletes the file.
        this.filling = null;
        if (filling.step(maxLength, isForced))
        {
            filledOrdinal++;
        }
        else
        {
            this.filling = filling;
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
        final long ordinal = nextOrdinal;
        factory.clear(ordinal);
        final boolean isRecycled = ordinal == filledOrdinal;
        if (isRecycled)
        {
            // The file of this ordinal may be half filled.
            deleteFilled();
        }
        final String spare = isRecycled ? pruned.remove() : JournalFiles.spare(ordinal);
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
            deleteFilled();
            throw ex;
        }
        nextOrdinal++;
        filledOrdinal = Math.max(filledOrdinal, nextOrdinal);
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

    /** Deletes the files that are filled, and the one that is being filled. */
    private void deleteFilled()
    {
        final SegmentFilling filling = this.filling;
        this.filling = null;
        try
        {
            if (null != filling)
            {
                filling.close();
                factory.delete(JournalFiles.spare(filledOrdinal));
            }
            while (filledOrdinal > nextOrdinal)
            {
                filledOrdinal--;
                factory.delete(JournalFiles.spare(filledOrdinal));
            }
        }
        catch (final IOException | JournalException ignore)
        {
            // The next opening deletes them, unless another writer has the journal already.
            filledOrdinal = nextOrdinal;
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
            deleteFilled();
            CloseHelper.close(prepared.getAndSet(null));
        }
        finally
        {
            lock.unlock();
        }
    }
}
