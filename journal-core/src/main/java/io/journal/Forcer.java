package io.journal;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import org.agrona.CloseHelper;

/**
 * Forces the journal to the device, oldest segment first, and attests how far it came.
 * <p>
 * One force is under way at a time, made by one of those who wait for it, the leader. Whoever comes meanwhile waits
 * too, and the next leader's force is for all of them. A force that fails is never made again: the journal is failed.
 */
final class Forcer implements AutoCloseable
{
    private final ReentrantLock lock = new ReentrantLock();
    private final Queue<Waiter> waiters = new ConcurrentLinkedQueue<>();
    private final Queue<Segment> unforced = new ConcurrentLinkedQueue<>();
    private final Positions positions;
    private final MarkFile markFile;
    private final long epoch;
    private final Health health;
    private TailWriter tail;

    Forcer(final Positions positions, final MarkFile markFile, final long epoch, final Health health)
    {
        this.positions = positions;
        this.markFile = markFile;
        this.epoch = epoch;
        this.health = health;
    }

    /**
     * Begins with a segment.
     *
     * @param tail to be written before it is forced.
     */
    void start(final TailWriter tail, final Segment segment)
    {
        this.tail = tail;
        unforced.add(segment);
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
     * else does. An interrupt does not end the waiting; the thread keeps its flag.
     */
    void forceSequence(final long sequence)
    {
        if (lock.tryLock())
        {
            lead(sequence);
        }
        else
        {
            follow(sequence);
        }
    }

    /**
     * Forces all that is appended.
     */
    void force()
    {
        lock.lock();
        try
        {
            if (positions.forcedPosition() < positions.appendedPosition())
            {
                forceAppended();
            }
            else
            {
                health.checkStorage();
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
    boolean forceComplete()
    {
        if (isOnlyNewestLeft())
        {
            return false;
        }

        lock.lock();
        try
        {
            health.checkStorage();
            // Looked at again: meanwhile another thread may have forced it, or closed the journal.
            return !isOnlyNewestLeft() && forceOldest();
        }
        finally
        {
            handOver();
        }
    }

    /**
     * Segments that are not forced to their end.
     */
    int backlog()
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
            CloseHelper.quietClose(markFile);
            handOver();
        }
    }

    private static final class Waiter
    {
        final Thread thread = Thread.currentThread();
        final long sequence;

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
                forceAppended();
            }
        }
        finally
        {
            handOver();
        }
    }

    private void follow(final long sequence)
    {
        final Waiter waiter = new Waiter(sequence);
        boolean wasInterrupted = false;
        // Queued before it looks: a leader who ends after that look finds it in the queue.
        waiters.add(waiter);
        try
        {
            while (positions.forcedSequence() < sequence)
            {
                // Who was woken must lead, also if only to fail: it is for the leader to wake the others.
                if (lock.tryLock())
                {
                    lead(sequence);
                }
                else
                {
                    LockSupport.park(this);
                    wasInterrupted |= Thread.interrupted();
                }
            }
        }
        finally
        {
            waiters.remove(waiter);
            if (wasInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Ends leading. The next leader is woken first: its force is under way while the others find that they are done.
     */
    private void handOver()
    {
        lock.unlock();
        if (!waiters.isEmpty())
        {
            final long forced = positions.forcedSequence();
            final boolean isOver = health.isFailed() || unforced.isEmpty();
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
            for (final Waiter waiter : waiters)
            {
                if (waiter.sequence <= forced)
                {
                    LockSupport.unpark(waiter.thread);
                }
            }
        }
    }

    private void forceAppended()
    {
        health.checkStorage();
        if (unforced.isEmpty())
        {
            throw new IllegalStateException("journal is closed");
        }

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
        force(newest, Math.min(newest.length, to + FrameHeader.ALIGNMENT));
        attest(position, sequence);
    }

    private boolean forceOldest()
    {
        // What is published may still end in this segment while the appender is already in the next.
        final long appended = positions.appendedPosition();
        final Segment oldest = unforced.peek();
        writeUpTo(Math.min(appended, oldest.endPosition()));
        force(oldest, oldest.length);
        unforced.remove();
        oldest.close();
        attest(Math.min(appended, oldest.endPosition()), unforced.peek().firstSequence() - 1);
        return true;
    }

    private void writeUpTo(final long position)
    {
        try
        {
            tail.writeUpTo(position);
        }
        catch (final Throwable ex)
        {
            throw health.fail("write", ex);
        }
    }

    /**
     * Whatever ends a force but its return is a failure: the force is never made again.
     */
    private void force(final Segment segment, final int to)
    {
        try
        {
            markFile.forceBegins();
            final int from = (int)Math.max(0, positions.forcedPosition() - segment.basePosition);
            if (from < to)
            {
                segment.file.force(from, to);
            }
            markFile.forceReturned();
        }
        catch (final Throwable ex)
        {
            throw health.fail("force", ex);
        }
    }

    private void attest(final long position, final long sequence)
    {
        try
        {
            markFile.forced(epoch, position, sequence + 1);
            positions.forced(position, sequence);
        }
        catch (final InternalError ex)
        {
            throw health.fail("force", ex);
        }
    }

    private boolean isOnlyNewestLeft()
    {
        return unforced.size() < 2;
    }
}
