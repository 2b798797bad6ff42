// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

import io.journal.JournalException;
import io.journal.JournalFullException;
import io.journal.internal.control.WriterFence;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.observe.Events;
import io.journal.internal.segment.Segment;
import io.journal.internal.segment.SegmentFilling;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;
import org.jspecify.annotations.Nullable;

/**
 * Supplies the space that records are appended to: the rest of the newest segment, and the next segment.
 * <ul>
 * <li>A file gets a segment's name once its length and its header are durable. While records stream in, a few segments
 * have their names before they are needed, otherwise one. Recovery unlinks all of them but the first.
 * <li>Records are appended only below {@link Segment#filledEnd()}. Blocks below it are allocated, because this process
 * wrote zeros there. So a store through a mapping cannot fail, and a full disk is detected before a record is composed.
 * Segments found on opening may have holes, because a copy may be sparse and a power loss ends a reservation: they are
 * filled like new segments.
 * <li>Zeros are written only at and after {@code filledEnd}, under the segment's lock and before it rises, so no record
 * is overwritten. Files of pruned segments have their blocks already.
 * <li>An agent fills in steps, ahead of the tail by as much as the journal has grown since it was opened, or by an
 * eighth of that unless records stream in, within bounds. If the appending thread catches up, it fills the space that
 * it needs itself. The agent fsyncs the zeros, so that the fsync of a record need not allocate blocks, unless records
 * stream in. See {@code docs/adr/0002-preparing-segments.md}.
 * <li>If the disk is full, the appending thread gives back what was taken ahead, then drops segments that retention
 * does not keep, before it refuses a record.
 * </ul>
 */
public final class SegmentSupply implements AutoCloseable
{
    private static final int STEP_LENGTH = 1024 * 1024;
    private static final long MIN_AHEAD_LENGTH = 4 * STEP_LENGTH;
    private static final long MAX_AHEAD_LENGTH = 128 * STEP_LENGTH;
    // If more bytes than this are appended but not durable, records stream in.
    private static final long STREAM_LENGTH = 4 * STEP_LENGTH;
    private static final int WARM_LENGTH = 2 * STEP_LENGTH;
    private static final long MAX_DEFERRED_LENGTH = 256 * STEP_LENGTH;
    // Segments that are made ahead at most while records stream in. Otherwise it is one.
    private static final int MAX_PREPARED = 3;
    private static final int MAX_PRUNED = 2;
    private static final int MAX_UNFORCED = 15;

    private final SegmentFactory factory;
    private final Forcer forcer;
    private final Positions positions;
    private final FailureLatch latch;
    private final WriterFence fence;
    private final Retaining retention;
    private final Runnable wakeAgent;
    private final Runnable onPrepared;
    private final boolean isMapped;
    private final int segmentLength;
    private final AtomicLong refusals = new AtomicLong();
    // Serializes making and recycling segments.
    private final OrderedLock lock;
    // Each serializes filling one of the segments that may be filled at the same time.
    private final OrderedLock[] filling = new OrderedLock[1 + MAX_PREPARED];

    private final AtomicReference<Space> space = new AtomicReference<>();
    // Position of the tail at opening, and position at which the appending thread wakes the agent.
    private long startPosition;
    private volatile long wakePosition = Long.MAX_VALUE;
    // Whether an agent has failed, as on a full disk. The agents resume once the appending thread has obtained space.
    private volatile boolean isHalted;
    // Files of segments from this ordinal on are recycled, because they have no holes.
    private volatile long recyclableFrom = Long.MAX_VALUE;

    // Confined to the agent. Pages of a mapped segment up to here are in memory.
    private long warmPosition;

    // Guarded by the lock. Files of pruned segments, under temporary names.
    private final Queue<String> pruned = new ArrayDeque<>();

    /**
     * @param wakeAgent  wakes the agent whose duty {@link #prepare} is.
     * @param onPrepared wakes the agent whose duty {@link #forceComplete} is.
     */
    public SegmentSupply(
        final SegmentFactory factory,
        final Forcer forcer,
        final Positions positions,
        final WriterFence fence,
        final FailureLatch latch,
        final Retaining retention,
        final Runnable wakeAgent,
        final Runnable onPrepared)
    {
        this.factory = factory;
        this.forcer = forcer;
        this.positions = positions;
        this.latch = latch;
        this.fence = fence;
        this.retention = retention;
        this.wakeAgent = wakeAgent;
        this.onPrepared = onPrepared;
        isMapped = SegmentStore.Memory.MAPPED == factory.store.memory();
        segmentLength = factory.length;
        lock = new OrderedLock(OrderedLock.Level.WINDOW, latch);
        Arrays.setAll(filling, (i) -> new OrderedLock(OrderedLock.Level.WINDOW, latch));
    }

    /** The newest segment, and those after it that have their names already. */
    private record Space(Segment newest, List<Segment> prepared)
    {
        Segment last()
        {
            return prepared.isEmpty() ? newest : prepared.get(prepared.size() - 1);
        }

        /**
         * Segment that the agent fills next; null if there is none. While records stream in, the appending thread fills
         * the newest segment alone, because writes to one file exclude one another.
         */
        @Nullable
        Segment unfilled(final boolean isStream)
        {
            if (!isStream && newest.filledEnd() < newest.length)
            {
                return newest;
            }
            for (final Segment segment : prepared)
            {
                if (segment.filledEnd() < segment.length)
                {
                    return segment;
                }
            }
            return null;
        }

        Space with(final Segment next)
        {
            final List<Segment> all = new ArrayList<>(prepared);
            all.add(next);
            return new Space(newest, List.copyOf(all));
        }

        Space withoutLast()
        {
            return new Space(newest, prepared.subList(0, prepared.size() - 1));
        }
    }

    /** Drops durable segments that retention does not keep. */
    @FunctionalInterface
    public interface Retaining
    {
        long NOT_APPLIED = -1;

        /**
         * Deletes these segments.
         *
         * @return position where the journal begins now; the files before it are deleted. The background agent may have
         *         advanced it since the last call. {@link #NOT_APPLIED} if nothing can be dropped, however much is
         *         durable.
         */
        long retain() throws IOException;
    }

    private interface Attempt
    {
        void run() throws IOException;
    }

    /**
     * Starts at the end that an opening found, and fills the first step after it.
     *
     * @param segment       the newest segment.
     * @param offset        of the end in it.
     * @param isNextPresent whether the next segment exists already, without a frame.
     * @param isNew         whether the journal is new.
     * @param isRecycling   whether files of pruned segments are used again: only files that this process has filled,
     *                      since others may have holes.
     * @throws NoSpaceException if the disk has no space for the first step of a new journal. An existing journal is
     *                          opened anyway, to be read and pruned: the append that needs the space throws.
     */
    public void start(
        final Segment segment, final int offset, final boolean isNextPresent, final boolean isNew,
        final boolean isRecycling) throws IOException
    {
        segment.filledEnd(offset);
        startPosition = segment.basePosition + offset;
        final Space found = new Space(segment, List.of());
        Space start = found;
        if (isNextPresent)
        {
            final Segment next = factory.open(segment.ordinal + 1);
            next.filledEnd(SegmentHeader.LENGTH);
            start = found.with(next);
        }
        space.set(start);
        recyclableFrom = isRecycling ? segment.ordinal + (isNew ? 0 : 1) : Long.MAX_VALUE;
        locked(lockOf(segment), () -> fillOpen(segment, isNew ? segmentLength : 0, false));
    }

    private OrderedLock lockOf(final Segment segment)
    {
        return filling[(int)(segment.ordinal % filling.length)];
    }

    private static void locked(final OrderedLock lock, final Attempt attempt) throws IOException
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
     * @throws JournalFullException if the disk is full. Nothing is lost; the call may be retried.
     * @throws JournalException     if the segment cannot be made. The call may be retried unless the journal failed.
     */
    Segment take()
    {
        final Segment newest = space.get().newest;
        Segment taken = null;
        while (null == taken)
        {
            inAnyRoom("the next segment", JournalFiles.segment(newest.ordinal + 1), segmentLength, 1, this::prepareNow);
            final Space old = space.get();
            // The agent discards a prepared segment whose fsync has failed.
            if (!old.prepared.isEmpty())
            {
                final Segment next = old.prepared.get(0);
                fill(next, SegmentHeader.LENGTH + FrameHeader.MARK_LENGTH, 1);
                taken = space.compareAndSet(
                    old, new Space(next, old.prepared.subList(1, old.prepared.size()))) ? next : null;
            }
        }

        if (newest.ordinal >= recyclableFrom && newest.filledEnd() < segmentLength)
        {
            recyclableFrom = taken.ordinal;
        }
        isHalted = false;
        wakeAgent.run();
        onPrepared.run();
        return taken;
    }

    /**
     * Fills a segment for frames up to an offset, unless it is filled that far. For the appending thread.
     *
     * @throws JournalFullException if the disk is full. Nothing is lost; the call may be retried.
     */
    void fill(final Segment segment, final int end)
    {
        fill(segment, end, 0);
    }

    private void fill(final Segment segment, final int end, final int kept)
    {
        while (end > limit(segment))
        {
            inAnyRoom(
                "the rest of the segment", segment.name(), segmentLength - segment.filledEnd(), kept,
                () -> fillNow(segment, end));
        }
        if (segment.basePosition + end > wakePosition)
        {
            wakePosition = Long.MAX_VALUE;
            wakeAgent.run();
        }
    }

    /** Offset up to which frames may be composed: a search for a frame after them must not reach a hole. */
    static int limit(final Segment segment)
    {
        final int filledEnd = segment.filledEnd();
        return segment.length == filledEnd ? filledEnd : filledEnd - FrameHeader.LENGTH;
    }

    /**
     * Makes an attempt. On a full disk, repeats it as long as this thread gives back what was taken ahead, or this
     * thread or the background agent drops segments.
     *
     * @param kept number of prepared segments that are needed.
     */
    private void inAnyRoom(
        final String what, final String file, final int length, final int kept, final Attempt attempt)
    {
        final boolean wasHalted = isHalted;
        boolean wasFull = false;
        boolean isDone = false;
        try
        {
            fence.check();
            long start = Retaining.NOT_APPLIED;
            while (!isDone)
            {
                try
                {
                    attempt.run();
                    isDone = true;
                }
                catch (final NoSpaceException ex)
                {
                    wasFull = true;
                    // The agents must not take what becomes free.
                    isHalted = true;
                    start = giveBack(kept) ? start : makeRoom(start, ex);
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
        finally
        {
            if (wasFull && isDone)
            {
                resume();
            }
            else if (wasFull)
            {
                isHalted = wasHalted;
            }
        }
    }

    /** Deletes a spare file or unlinks the last prepared segment. Returns whether there was one. */
    private boolean giveBack(final int kept) throws IOException
    {
        final Space now;
        lock.lock();
        try
        {
            if (!pruned.isEmpty())
            {
                factory.delete(pruned.element());
                pruned.remove();
                return true;
            }
            now = space.get();
            if (now.prepared.size() <= kept)
            {
                return false;
            }
            // Only this thread takes segments.
            space.set(now.withoutLast());
            unlink(now.last());
        }
        finally
        {
            lock.unlock();
        }

        // Its blocks become free once the agent, which may be filling it, has ended the step.
        locked(lockOf(now.last()), () ->
        {
        });
        return true;
    }

    /** Unlinks the last prepared segment, durably, because a power loss must not leave a gap. */
    private void unlink(final Segment last) throws IOException
    {
        last.close();
        // An attempt to make or to unlink the next one may have left it.
        factory.delete(JournalFiles.segment(last.ordinal + 1));
        fence.force(factory.store);
        factory.delete(last.name());
        fence.force(factory.store);
    }

    /** Drops segments, and fsyncs for that, until the journal begins after a position. Returns its new beginning. */
    private long makeRoom(final long start, final NoSpaceException full) throws NoSpaceException
    {
        long now = retain(full);
        boolean isMore = true;
        while (now == start && Retaining.NOT_APPLIED != now && isMore)
        {
            // While records stream in, segments that retention would drop may still have to be fsynced.
            isMore = forcer.forceComplete(Long.MAX_VALUE);
            // Retried even if none was left, because the background agent may have fsynced the last segment meanwhile.
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
            // The background agent sees the same error and reports it.
            full.addSuppressed(ex);
            latch.checkStorage();
            return Retaining.NOT_APPLIED;
        }
    }

    private void prepareNow() throws IOException
    {
        if (0 == prepared())
        {
            locked(lock, () ->
            {
                // The agent may have made it meanwhile.
                if (0 == prepared())
                {
                    make();
                }
            });
        }
    }

    private void fillNow(final Segment segment, final int end) throws IOException
    {
        locked(lockOf(segment), () ->
        {
            if (end > limit(segment))
            {
                // The appending thread is faster than the agent.
                fillOpen(segment, end, true);
            }
        });
    }

    /**
     * Fills one step of a segment.
     *
     * @param needed offset up to which frames are to be composed: if the step fails after that, as on a full disk, the
     *               filled bytes suffice.
     */
    private void fillOpen(final Segment segment, final int needed, final boolean isStream) throws IOException
    {
        try
        {
            fillStep(segment, isStream);
        }
        catch (final IOException ex)
        {
            if (needed > limit(segment))
            {
                throw ex;
            }
        }
    }

    private void fillStep(final Segment segment, final boolean isStream) throws IOException
    {
        final int end = SegmentFilling.stepEnd(segment.filledEnd(), segmentLength, STEP_LENGTH);
        while (segment.filledEnd() < end)
        {
            // Another writer may have appended here.
            fence.checkOwned();
            SegmentFilling.write(segment, end, factory.store.memory(), isStream);
        }
    }

    private boolean isStream()
    {
        return positions.appendedPosition() - positions.forcedPosition() > STREAM_LENGTH;
    }

    /**
     * Fills a step ahead of the tail, or makes the next segment; else brings pages into memory. If the disk is full,
     * only the appending thread tries again. A duty of an agent.
     */
    public boolean prepare() throws IOException
    {
        return attempt(() -> isBehind() ? prepare(space.get().unfilled(isStream())) : warm());
    }

    private boolean attempt(final BackgroundAgent.Duty duty) throws IOException
    {
        if (isHalted)
        {
            return false;
        }
        try
        {
            return duty.perform();
        }
        catch (final NoSpaceException ignore)
        {
            // The appender reports it when it needs the space, unless there is some by then.
            isHalted = true;
            return true;
        }
        catch (final Throwable ex)
        {
            isHalted = true;
            throw ex;
        }
    }

    /**
     * Makes a segment ahead while records stream in. A duty of the agent that fsyncs complete segments, because the
     * fsync of a new file would wait for such a long fsync in progress.
     */
    public boolean makeAhead() throws IOException
    {
        final Space now = space.get();
        final boolean isDue = isStream() && now.prepared.size() < MAX_PREPARED &&
            now.last().endPosition() < positions.appendedPosition() + MAX_AHEAD_LENGTH;
        final boolean isMade = isDue && attempt(() -> prepare(null));
        if (isMade)
        {
            wakeAgent.run();
        }
        return isMade;
    }

    /** Fills a step of a segment, or makes the next segment. */
    private boolean prepare(final @Nullable Segment unfilled) throws IOException
    {
        final OrderedLock lock = null == unfilled ? this.lock : lockOf(unfilled);
        if (!lock.tryLock())
        {
            return false;
        }

        boolean isFilling = false;
        int from = 0;
        try
        {
            if (!latch.isOpen())
            {
                return false;
            }
            if (null == unfilled)
            {
                if (prepared() < MAX_PREPARED)
                {
                    make();
                }
            }
            else if (unfilled.retain())
            {
                isFilling = true;
                from = unfilled.filledEnd();
                fillStep(unfilled, isStream());
            }
        }
        finally
        {
            lock.unlock();
            if (isFilling)
            {
                end(unfilled, from);
            }
        }
        return true;
    }

    /** Whether less is filled than should be. Sets the position of the tail at which the agent is needed again. */
    private boolean isBehind()
    {
        final Space now = space.get();
        final boolean isStream = isStream();
        final long appended = positions.appendedPosition();
        final long growth = appended - startPosition;
        // Zeros compete with the fsyncs of records, unless records stream in.
        final long wanted = isStream ? growth : growth / 8;
        final long ahead = Math.max(MIN_AHEAD_LENGTH, Math.min(MAX_AHEAD_LENGTH, wanted));
        final Segment unfilled = now.unfilled(isStream);
        final long filled = null == unfilled ? now.last().endPosition() : unfilled.basePosition + unfilled.filledEnd();
        final boolean isFilled = null == unfilled && !now.prepared.isEmpty();
        // While records stream in, "ahead" rises with each of them.
        wakePosition = isStream ? appended + STEP_LENGTH :
            Math.min(isFilled ? Long.MAX_VALUE : filled - ahead + ahead / 4, cold(now.newest, appended));
        return !isFilled && filled < appended + ahead;
    }

    /** Position of the tail at which more pages of a segment should be brought into memory. */
    private long cold(final Segment segment, final long appended)
    {
        final boolean isWarm =
            !isMapped || warmPosition >= segment.basePosition + segment.filledEnd() || isStream();
        return isWarm ? Long.MAX_VALUE : Math.max(appended, warmPosition - WARM_LENGTH / 2);
    }

    /**
     * Touches pages of a mapped segment, to spare the appender their page faults. Does nothing while records stream in,
     * because the agent is then busy filling. Runs after the fsync of the zeros, because that write-protects the pages
     * again.
     */
    private boolean warm() throws IOException
    {
        final Segment segment = space.get().newest;
        final long appended = positions.appendedPosition();
        final long end = segment.basePosition + segment.filledEnd();
        final long from = Math.max(segment.basePosition, Math.max(warmPosition, appended));
        final long to = Math.min(from + STEP_LENGTH, end);
        if (from >= to || cold(segment, appended) > appended || !segment.retain())
        {
            return false;
        }

        try
        {
            segment.file.warm((int)(from - segment.basePosition), (int)(to - segment.basePosition));
            warmPosition = to;
        }
        finally
        {
            segment.close();
        }
        return true;
    }

    /** Fsyncs the zeros of a step. */
    private void end(final Segment filled, final int from) throws IOException
    {
        try
        {
            if (!isStream() && latch.isOpen() && from < filled.filledEnd())
            {
                force(filled, from);
            }
        }
        finally
        {
            filled.close();
        }
    }

    private void force(final Segment filled, final int from) throws IOException
    {
        final Space now = space.get();
        if (filled.ordinal <= now.newest.ordinal)
        {
            // The forcer fsyncs it, like any file with records.
            forcer.forceZeros(filled, from, filled.filledEnd());
        }
        else if (now.prepared.contains(filled))
        {
            forcePrepared(filled, from);
        }
    }

    private void forcePrepared(final Segment filled, final int from) throws IOException
    {
        // Uses its own descriptor: if the appender reaches the segment meanwhile, another thread fsyncs and unmaps it
        // through the segment's descriptor.
        try (SegmentFile file = factory.store.open(filled.name(), SegmentStore.Access.WRITE))
        {
            forcePrepared(filled, file, from);
        }
        catch (final NoSuchFileException ex)
        {
            // The appending thread has given it back meanwhile.
            if (space.get().prepared.contains(filled))
            {
                throw ex;
            }
        }
    }

    private void forcePrepared(final Segment filled, final SegmentFile file, final int from) throws IOException
    {
        try
        {
            file.force(from, filled.filledEnd());
        }
        catch (final Throwable ex)
        {
            if (discard(filled, ex))
            {
                throw ex;
            }
        }
    }

    /**
     * Discards a prepared segment whose fsync has failed, and those after it, so that other files replace them. Fails
     * the journal if records may be in it.
     *
     * @return false if the appending thread has given it back meanwhile.
     */
    private boolean discard(final Segment failed, final Throwable cause)
    {
        lock.lock();
        try
        {
            boolean isDiscarded = false;
            for (Space now = space.get(); !isDiscarded && failed.ordinal > now.newest.ordinal; now = space.get())
            {
                if (!now.prepared.contains(failed))
                {
                    return false;
                }
                if (space.compareAndSet(now, now.withoutLast()))
                {
                    unlink(now.last());
                    isDiscarded = failed == now.last();
                }
            }
            if (isDiscarded)
            {
                return true;
            }
        }
        catch (final Throwable ex)
        {
            cause.addSuppressed(ex);
        }
        finally
        {
            lock.unlock();
        }

        throw latch.fail(cause).exception("force", cause);
    }

    /** Makes the next segment from a pruned file or a new file. */
    private void make() throws IOException
    {
        final Object event = Events.INSTANCE.begin(Events.Kind.PREPARE);
        final long ordinal = space.get().last().ordinal + 1;
        final boolean isRecycled = !pruned.isEmpty();
        final Segment segment =
            factory.name(isRecycled ? pruned.remove() : factory.create(ordinal), ordinal, isRecycled);
        try
        {
            // Others may take segments meanwhile, but only under the lock is one made or discarded.
            space.updateAndGet((now) -> now.with(segment));
        }
        catch (final Throwable ex)
        {
            segment.close();
            throw ex;
        }
        Events.INSTANCE.endPrepare(event, latch.journal(), segment, isRecycled);
        onPrepared.run();
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
            // On a full disk their blocks are needed.
            if (isHalted || pruned.size() >= MAX_PRUNED || ordinal < recyclableFrom)
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

    /** Number of segments after the newest that have their names. Thread-safe. */
    public int prepared()
    {
        return space.get().prepared.size();
    }

    /** Number of times the appending thread found the disk full. Thread-safe. */
    public long refusals()
    {
        return refusals.get();
    }

    /**
     * Fsyncs the oldest complete segment, so that a later fsync has less to do. Deferred until the next segment is
     * made, up to a limit, because the fsync of the new file would wait for this long fsync. A duty of the background
     * agent.
     */
    public boolean forceComplete()
    {
        final boolean isDeferred = 0 == prepared() && !isHalted &&
            (forcer.backlog() - 1L) * segmentLength <= MAX_DEFERRED_LENGTH;
        return !isDeferred && forcer.forceComplete(Long.MAX_VALUE);
    }

    /** Fsyncs the oldest complete segment if there are too many. Called by the appending thread after a roll. */
    public void rolled()
    {
        if (forcer.backlog() - 1 > MAX_UNFORCED)
        {
            forcer.forceComplete(Long.MAX_VALUE);
        }
    }

    /** Lets the agent fill again after a full disk, because truncated segments have been deleted. */
    public void spaceFreed()
    {
        resume();
    }

    private void resume()
    {
        if (isHalted)
        {
            isHalted = false;
            wakeAgent.run();
        }
    }

    /** Closes the prepared segments. The journal is closed, so no other step begins. */
    @Override
    public void close()
    {
        // An application's thread may run an agent, and not have ended a step.
        for (final OrderedLock each : filling)
        {
            each.lock();
            each.unlock();
        }
        lock.lock();
        try
        {
            final Space last = space.get();
            if (null != last)
            {
                space.set(new Space(last.newest, List.of()));
                CloseHelper.closeAll(last.prepared);
            }
        }
        finally
        {
            lock.unlock();
        }
    }
}
