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
import io.journal.internal.format.FrameHeader;
import io.journal.internal.observe.Events;
import org.agrona.CloseHelper;

/**
 * Forces the journal to the device, oldest segment first, and attests how far it came.
 * <p>
 * One force is under way at a time, made by one of those who wait for it, the leader. Whoever comes meanwhile waits
 * too, and the next leader's force is for all of them. A force that fails is never made again: the journal is failed.
 */
public final class Forcer implements AutoCloseable
{
    private static final long NO_LIMIT = Long.MAX_VALUE;
    private static final long GATHER_IDLE_NS = TimeUnit.MICROSECONDS.toNanos(30);
    private static final long GATHER_LIMIT_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private final Queue<Segment> unforced = new ConcurrentLinkedQueue<>();
    private final Positions positions;
    private final MarkFile markFile;
    private final ForcePolicy policy;
    private final FailureLatch latch;
    private TailWriter tail;
    private long epoch;
    private long nextForceNs;
    // How long the last force took, within limits, and how many records it was for if it served more than its leader.
    private long forceNs;
    private long servedTogether;
    private volatile Runnable onForced;
    private volatile Thread companionThread;
    private Monitor monitor;

    public Forcer(
        final Positions positions, final MarkFile markFile, final ForcePolicy policy, final FailureLatch latch)
    {
        this.positions = positions;
        this.markFile = markFile;
        this.policy = policy;
        this.latch = latch;
        // Who waits without leading would not find out.
        latch.onFailure(this::onFailure);
    }

    /**
     * Begins with a segment, in place of any before.
     *
     * @param tail  to be written before it is forced.
     * @param epoch of the journal, which attests what is forced.
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
     * Who counts the forces, and publishes what is forced.
     */
    public void monitor(final Monitor monitor)
    {
        this.monitor = monitor;
    }

    /**
     * Whether forces are left to the background agent, which makes them at an interval.
     */
    public boolean isPeriodic()
    {
        return policy.isPeriodic();
    }

    /**
     * Threads that wait for another one's force.
     */
    public int waiters()
    {
        return waiters.size();
    }

    /**
     * Who is told, by the thread that forced, when something was.
     */
    public void onForced(final Runnable onForced)
    {
        this.onForced = onForced;
    }

    /**
     * Takes over a segment, and with it those before, which nobody writes to any more.
     *
     * @param next segment, its first sequence known; nothing of it is published yet.
     */
    void rolled(final Segment next)
    {
        unforced.add(next);
    }

    /**
     * Waits until all records up to one are forced, forcing them together with all that is appended by then if nobody
     * else does and that is not left to the background agent. An interrupt does not end the waiting; the thread keeps
     * its flag.
     */
    public void awaitForced(final long sequence)
    {
        awaitForced(sequence, NO_LIMIT);
    }

    /**
     * As {@link #awaitForced(long)}, for a time. Who leads a force meanwhile returns when it has ended.
     *
     * @return whether the records are forced.
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
     * Says which thread is the background agent's now.
     */
    void companionThread(final Thread thread)
    {
        if (thread != companionThread)
        {
            companionThread = thread;
        }
    }

    /**
     * Forces what is appended if the interval of a periodic policy has passed.
     *
     * @return whether it was done.
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
     * Forces all that is appended.
     */
    public void force()
    {
        lock.lock();
        try
        {
            // Both: a sequence may have been read just before its record was published.
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
     * Forces the oldest segment if it is complete, so that a later force has less to do. One at a time: preparing the
     * next segment is more urgent.
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
            // Looked at again: meanwhile another thread may have forced it, or closed the journal.
            return !isOnlyNewestLeft() && forceOldest();
        }
        finally
        {
            handOver();
        }
    }

    /**
     * What is written and forced beside the records.
     */
    public interface Change
    {
        void make() throws IOException;
    }

    /**
     * Makes a change as if it were a force: while no other is under way, and never again if it fails.
     *
     * @param what the change is, to be said when it fails.
     */
    public void whileForcing(final String what, final Change change)
    {
        lock.lock();
        try
        {
            latch.checkStorage();
            checkOpen();
            try
            {
                markFile.forceBegins();
                change.make();
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
     * Checks that no other writer has opened the journal, before and after something is saved beside the records.
     *
     * @throws JournalLockedException if another writer has; the journal has failed.
     * @throws IOException            if that cannot be known.
     */
    public void checkOwned() throws IOException
    {
        try
        {
            markFile.checkOwned();
        }
        catch (final JournalException ex)
        {
            throw latch.fail("check of the writer's lock", ex);
        }
    }

    /**
     * Segments that are not forced to their end.
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
        // Its record was cut off; another one may get the sequence.
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
     * Gives those whom the last force served together the time to come back: otherwise they are late for this force,
     * and two halves wait for each other in turn. Waits until as many records are there as that force was for, not for
     * longer than a force, and no more once nobody comes; a thread that is alone waits for nobody.
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
            // Those who come may need this processor.
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
        // Queued before it looks: a leader who ends after that look finds it in the queue.
        waiters.add(waiter);
        try
        {
            while (waiter.isCut || positions.forcedSequence() < sequence)
            {
                if (waiter.isCut)
                {
                    throw cutOff(sequence);
                }
                // Who was woken must lead, also if only to fail: it is for the leader to wake the others.
                if (mayLead(timeoutNs) && lock.tryLock())
                {
                    // What now has the sequence may be another record, and cutting takes the lock.
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
                // It gives up, and may be the one that was to lead: then it is another's turn.
                handOver();
            }
            if (wasInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Under a periodic policy forces are the background agent's, unless there is none any more, or it is the one that
     * would wait for ever.
     */
    private boolean mayLead(final long timeoutNs)
    {
        return !policy.isPeriodic() || !latch.isOpen() ||
            NO_LIMIT == timeoutNs && Thread.currentThread() == companionThread;
    }

    /**
     * Whether a force can still come that covers a record.
     */
    private void checkForcible(final long sequence)
    {
        final boolean isFailed = latch.isFailed();
        final boolean isClosed = unforced.isEmpty();
        final boolean isCut = positions.appendedSequence() < sequence;
        // Asked last: before what ended the journal, the force may have come that it was waited for.
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
     * Ends leading. The next leader is woken first: its force is under way while the others find that they are done.
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
     * Whoever waits finds out, here and in other processes.
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
     * Wakes those who have to go on: whose records are forced, who is to lead next, and all if nothing more comes by
     * itself.
     */
    public void wakeWaiters()
    {
        final long forced = positions.forcedSequence();
        // Those who can get no force any more find that out by themselves.
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
        // Forcing those before may have attested a record behind that one.
        force(
            newest, Math.min(newest.length, to + FrameHeader.ALIGNMENT), position,
            Math.max(sequence, positions.forcedSequence()));
    }

    private boolean forceOldest()
    {
        // What is published may still end in this segment while the appender is already in the next.
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
     * Forces a segment, and attests what is forced with it. Whatever ends a force but its return is a failure: the
     * force is never made again.
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
            markFile.forceReturned();
            markFile.forced(epoch, position, sequence + 1);
            // Between the store and the acknowledgement: a writer that takes over sees what this one acknowledges.
            markFile.checkOwned();
            positions.forced(position, sequence);
            monitor.publish();
            // If the file was cut short, the fault of a store surfaces late. Here, so that it does not in user code.
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
