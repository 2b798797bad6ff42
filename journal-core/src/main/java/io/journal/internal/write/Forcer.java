package io.journal.internal.write;

import java.io.IOException;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import io.journal.ForcePolicy;
import io.journal.JournalClosedException;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.observe.Events;
import org.agrona.CloseHelper;

/**
 * Group commit: fsyncs the journal, oldest segment first, and advances the durable watermark.
 * <p>
 * One fsync is in flight at a time, made by the leader, one of the waiting threads. Threads that arrive meanwhile
 * follow; the next leader's fsync covers all of them. A failed fsync is never retried: the journal has failed.
 */
public final class Forcer implements AutoCloseable
{
    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final long GATHER_IDLE_NS = TimeUnit.MICROSECONDS.toNanos(30);
    private static final long GATHER_LIMIT_NS = TimeUnit.MICROSECONDS.toNanos(200);

    // Leadership. Excludes a second fsync, the state changes of prune and truncateAfter (whileForcing, start), and
    // close, which closes the segments that an fsync uses.
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private final Queue<Segment> unforced = new ConcurrentLinkedQueue<>();
    private final Positions positions;
    private final MarkFile markFile;
    private final ForcePolicy policy;
    private final FailureLatch latch;
    private final WriterFence fence;
    private TailWriter tail;
    private long epoch;
    private long nextForceNs;
    // Duration of the last fsync, capped, and the number of records it covered if it had followers.
    private long forceNs;
    private long servedTogether;
    private volatile Runnable onForced;
    private volatile Thread backgroundThread;
    private Monitor monitor;

    public Forcer(
        final Positions positions,
        final MarkFile markFile,
        final ForcePolicy policy,
        final FailureLatch latch,
        final WriterFence fence)
    {
        this.positions = positions;
        this.markFile = markFile;
        this.policy = policy;
        this.latch = latch;
        this.fence = fence;
        // Followers are parked and would not notice the failure.
        latch.onFailure(this::onFailure);
    }

    /**
     * Starts with a segment, on open and after a truncation. Closes the segments before.
     *
     * @param tail  is written before each fsync.
     * @param epoch of the journal, stored with the durable watermark.
     */
    void start(final TailWriter tail, final Segment segment, final long epoch)
    {
        lock.lock();
        try
        {
            CloseHelper.closeAll(unforced);
            unforced.clear();
            this.tail = tail;
            this.epoch = epoch;
            unforced.add(segment);
            for (final Waiter waiter : waiters)
            {
                waiter.isCut |= waiter.sequence > positions.appendedSequence();
            }
            nextForceNs = System.nanoTime();
        }
        finally
        {
            handOver();
        }
    }

    /**
     * Sets the monitor that counts fsyncs and publishes the durable watermark.
     */
    public void monitor(final Monitor monitor)
    {
        this.monitor = monitor;
    }

    /**
     * Whether fsyncs are left to the background agent, which makes them at an interval.
     */
    public boolean isPeriodic()
    {
        return policy.isPeriodic();
    }

    /**
     * Number of threads that wait for another thread's fsync.
     */
    public int waiters()
    {
        return waiters.size();
    }

    /**
     * Sets a callback that runs after each fsync, on the thread that made it. It may also run without one.
     */
    public void onForced(final Runnable onForced)
    {
        this.onForced = onForced;
    }

    /**
     * Queues the next segment on a roll. The appender writes no more to the segments before it, which may be closed.
     *
     * @param next segment, its first sequence set; nothing of it is published yet.
     */
    void rolled(final Segment next)
    {
        unforced.add(next);
    }

    /**
     * Waits until all records up to a sequence are durable. The calling thread leads an fsync of everything appended by
     * then, unless another thread leads or a periodic policy leaves that to the background agent. Not interruptible;
     * the interrupt status is preserved.
     */
    public void awaitForced(final long sequence)
    {
        awaitForced(sequence, NO_LIMIT);
    }

    /**
     * As {@link #awaitForced(long)}, with a timeout. A thread that leads an fsync returns only when that has ended.
     *
     * @return whether the records are durable.
     */
    public boolean awaitForced(final long sequence, final long timeoutNs)
    {
        if (positions.forcedSequence() >= sequence)
        {
            return true;
        }

        if (mayLead(timeoutNs) && lock.tryLock())
        {
            lead(sequence);
            return true;
        }

        return follow(sequence, timeoutNs);
    }

    /**
     * Sets the thread that runs the background agent now.
     */
    void backgroundThread(final Thread thread)
    {
        if (thread != backgroundThread)
        {
            backgroundThread = thread;
        }
    }

    /**
     * Fsyncs what is appended if the interval of a periodic policy has passed.
     *
     * @return whether it did.
     */
    boolean forcePeriodically()
    {
        if (!policy.isPeriodic() || positions.forcedSequence() >= positions.appendedSequence())
        {
            return false;
        }

        final long nowNs = System.nanoTime();
        if (nowNs - nextForceNs < 0)
        {
            return false;
        }

        nextForceNs = nowNs + policy.intervalNs();
        force();
        return true;
    }

    /**
     * Fsyncs all that is appended.
     */
    public void force()
    {
        lock.lock();
        try
        {
            // Both: an earlier fsync may have read its sequence just before the record was published.
            if (positions.forcedPosition() < positions.appendedPosition() ||
                positions.forcedSequence() < positions.appendedSequence())
            {
                forceAppended();
            }
            else
            {
                latch.checkStorage();
            }
        }
        finally
        {
            handOver();
        }
    }

    /**
     * Fsyncs the oldest segment if it is complete, so that a later fsync has less to do. One segment per call:
     * preparing the next one is more urgent.
     *
     * @return whether there was one.
     */
    public boolean forceComplete()
    {
        if (isOnlyNewestLeft())
        {
            return false;
        }

        lock.lock();
        try
        {
            latch.checkStorage();
            // Checked again: another thread may have fsynced the segment, or closed the journal.
            return !isOnlyNewestLeft() && forceOldest();
        }
        finally
        {
            handOver();
        }
    }

    /**
     * A durable change beside the records.
     */
    public interface Change
    {
        void make() throws IOException;
    }

    /**
     * Makes a change under the rules of an fsync: no fsync is in flight meanwhile, and any exception fails the journal.
     *
     * @param what names the change in the exception if it fails.
     */
    public void whileForcing(final String what, final Change change)
    {
        lock.lock();
        try
        {
            latch.checkStorage();
            checkOpen();
            checkFence(what);
            try
            {
                markFile.forceBegins();
                change.make();
                markFile.checkOwned();
                markFile.forceReturned();
                markFile.checkOwned();
            }
            catch (final Throwable ex)
            {
                throw latch.fail(what, ex);
            }
        }
        finally
        {
            handOver();
        }
    }

    /**
     * Checks that no other writer has opened the journal. Call before and after saving something beside the records.
     *
     * @throws JournalLockedException if another writer has; the journal has failed.
     * @throws IOException            if the check cannot be made.
     */
    public void checkOwned() throws IOException
    {
        fence.check();
    }

    private void checkFence(final String what)
    {
        try
        {
            fence.check();
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot " + what + ": it cannot be known whether the files are still the journal's; cause=" + ex, ex);
        }
    }

    /**
     * Number of segments that are not durable up to their end.
     */
    public int backlog()
    {
        return unforced.size();
    }

    @Override
    public void close()
    {
        lock.lock();
        try
        {
            CloseHelper.closeAll(unforced);
        }
        finally
        {
            unforced.clear();
            CloseHelper.quietCloseAll(monitor, markFile);
            handOver();
        }
    }

    private static final class Waiter
    {
        final Thread thread = Thread.currentThread();
        final long sequence;
        // The record was truncated; another record may get its sequence.
        volatile boolean isCut;

        Waiter(final long sequence)
        {
            this.sequence = sequence;
        }
    }

    private void lead(final long sequence)
    {
        try
        {
            if (positions.forcedSequence() < sequence)
            {
                checkForcible(sequence);
                gather();
                forceTogether();
            }
        }
        finally
        {
            handOver();
        }
    }

    /**
     * Gives the appenders of the last group commit time to return. Otherwise they miss this fsync, and the group splits
     * into two halves that wait for each other in turn. Waits until as many records have arrived as the last fsync
     * covered, at most as long as that fsync took, and only while records keep arriving. A lone thread does not wait.
     */
    private void gather()
    {
        final long wanted = positions.forcedSequence() + servedTogether;
        final long startNs = System.nanoTime();
        long seen = positions.appendedSequence();
        long seenNs = startNs;
        long nowNs = startNs;
        while (seen < wanted && nowNs - seenNs < GATHER_IDLE_NS && nowNs - startNs < forceNs)
        {
            // The arriving threads may need this processor.
            Thread.yield();
            nowNs = System.nanoTime();
            final long appended = positions.appendedSequence();
            if (appended != seen)
            {
                seen = appended;
                seenNs = nowNs;
            }
        }
    }

    private void forceTogether()
    {
        final long startNs = System.nanoTime();
        final long before = positions.forcedSequence();
        forceAppended();
        forceNs = Math.min(GATHER_LIMIT_NS, System.nanoTime() - startNs);
        servedTogether = waiters.isEmpty() ? 0 : positions.forcedSequence() - before;
    }

    private boolean follow(final long sequence, final long timeoutNs)
    {
        final long startNs = NO_LIMIT == timeoutNs ? 0 : System.nanoTime();
        final Waiter waiter = new Waiter(sequence);
        boolean wasInterrupted = false;
        // Queued before the first check: a leader that ends after the check finds the waiter in the queue.
        waiters.add(waiter);
        try
        {
            while (waiter.isCut || positions.forcedSequence() < sequence)
            {
                if (waiter.isCut)
                {
                    throw cutOff(sequence);
                }
                // A woken waiter must take leadership even if it will fail: only the leader wakes the rest.
                if (mayLead(timeoutNs) && lock.tryLock())
                {
                    // Another record may have the sequence by now. Truncation takes the lock, so this check is final.
                    if (waiter.isCut)
                    {
                        handOver();
                        throw cutOff(sequence);
                    }
                    lead(sequence);
                    return true;
                }

                checkForcible(sequence);
                if (NO_LIMIT == timeoutNs)
                {
                    LockSupport.park(this);
                }
                else
                {
                    final long leftNs = timeoutNs - (System.nanoTime() - startNs);
                    if (leftNs <= 0)
                    {
                        return false;
                    }
                    LockSupport.parkNanos(this, leftNs);
                }
                wasInterrupted |= Thread.interrupted();
            }

            return true;
        }
        finally
        {
            waiters.remove(waiter);
            if (positions.forcedSequence() < sequence && lock.tryLock())
            {
                // A waiter that times out or throws may have been woken to lead: hand leadership over.
                handOver();
            }
            if (wasInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Under a periodic policy the background agent leads. Exceptions: the journal is closed or failed, so the agent
     * makes no more fsyncs; or the calling thread is the agent's and would wait for itself forever.
     */
    private boolean mayLead(final long timeoutNs)
    {
        return !policy.isPeriodic() || !latch.isOpen() ||
            NO_LIMIT == timeoutNs && Thread.currentThread() == backgroundThread;
    }

    /**
     * Throws if no later fsync can cover a record.
     */
    private void checkForcible(final long sequence)
    {
        final boolean isFailed = latch.isFailed();
        final boolean isClosed = unforced.isEmpty();
        final boolean isCut = positions.appendedSequence() < sequence;
        // Checked last: the awaited fsync may have completed before the failure, close or truncation.
        if ((isFailed || isClosed || isCut) && positions.forcedSequence() < sequence)
        {
            latch.checkStorage();
            if (isClosed)
            {
                throw new JournalClosedException("journal was closed before it was forced: sequence=" + sequence);
            }
            throw cutOff(sequence);
        }
    }

    private static IllegalStateException cutOff(final long sequence)
    {
        return new IllegalStateException("record was cut off while it was waited for: sequence=" + sequence);
    }

    /**
     * Releases leadership. Wakes the next leader first: its fsync is in flight while the followers return.
     */
    private void handOver()
    {
        lock.unlock();
        if (!waiters.isEmpty())
        {
            wakeWaiters();
        }

        final Runnable onForced = this.onForced;
        if (null != onForced)
        {
            onForced.run();
        }
    }

    /**
     * Wakes the waiters, which then throw, and publishes the failure to other processes.
     */
    private void onFailure()
    {
        wakeWaiters();
        if (null != monitor)
        {
            monitor.refresh();
        }
    }

    /**
     * Wakes the next leader and the waiters whose records are durable; wakes all if no further fsync will come by
     * itself.
     */
    public void wakeWaiters()
    {
        final long forced = positions.forcedSequence();
        // Waiters that no fsync can serve any more detect that when woken.
        final boolean isOver =
            !latch.isOpen() || unforced.isEmpty() || positions.appendedSequence() <= forced;
        if (isOver || !policy.isPeriodic())
        {
            for (final Waiter waiter : waiters)
            {
                if (waiter.sequence > forced)
                {
                    LockSupport.unpark(waiter.thread);
                    if (!isOver)
                    {
                        break;
                    }
                }
            }
        }
        for (final Waiter waiter : waiters)
        {
            if (waiter.sequence <= forced)
            {
                LockSupport.unpark(waiter.thread);
            }
        }
    }

    private void forceAppended()
    {
        latch.checkStorage();
        checkOpen();

        // In this order: the position covers at least the sequence.
        final long sequence = positions.appendedSequence();
        final long position = positions.appendedPosition();
        writeUpTo(position);
        while (unforced.peek().endPosition() < position)
        {
            forceOldest();
        }

        final Segment newest = unforced.peek();
        final int to = (int)(position - newest.basePosition);
        // The fsyncs of earlier segments may have advanced the durable sequence beyond this one.
        force(
            newest, Math.min(newest.length, to + FrameHeader.ALIGNMENT), position,
            Math.max(sequence, positions.forcedSequence()));
    }

    private boolean forceOldest()
    {
        // The published end may still be in this segment while the appender is already in the next.
        final long appended = positions.appendedPosition();
        final Iterator<Segment> segments = unforced.iterator();
        final Segment oldest = segments.next();
        final long position = Math.min(appended, oldest.endPosition());
        writeUpTo(position);
        oldest.file.release();
        force(oldest, oldest.length, position, segments.next().firstSequence() - 1);
        unforced.remove();
        oldest.close();
        return true;
    }

    private void checkOpen()
    {
        if (unforced.isEmpty())
        {
            throw new JournalClosedException("journal is closed");
        }
    }

    private void writeUpTo(final long position)
    {
        try
        {
            tail.writeUpTo(position);
        }
        catch (final Throwable ex)
        {
            throw latch.fail("write", ex);
        }
    }

    /**
     * Fsyncs a segment and advances the durable watermark. Any exception counts as a failed fsync; a failed fsync is
     * never retried.
     */
    private void force(final Segment segment, final int to, final long position, final long sequence)
    {
        final int from = (int)Math.max(0, positions.forcedPosition() - segment.basePosition);
        final Object event = Events.INSTANCE.beginForce();
        try
        {
            markFile.forceBegins();
            if (from < to)
            {
                final long startNs = System.nanoTime();
                segment.file.force(from, to);
                monitor.forced(startNs);
            }
            // Before anything is stored that another writer may have stored since.
            markFile.checkOwned();
            markFile.forceReturned();
            markFile.forced(epoch, position, sequence + 1);
            // Between storing and acknowledging: a writer that takes over sees every record acknowledged here.
            markFile.checkOwned();
            positions.forced(position, sequence);
            monitor.publish();
            // If the file was cut short, the fault surfaces late, as an InternalError. Check here so that it does not
            // surface in user code.
            markFile.checkOwned();
        }
        catch (final Throwable ex)
        {
            throw latch.fail("force", ex);
        }
        if (from < to)
        {
            Events.INSTANCE.endForce(event, segment, from, to, waiters.size());
        }
    }

    private boolean isOnlyNewestLeft()
    {
        return unforced.size() < 2;
    }
}
