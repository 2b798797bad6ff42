// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

import io.journal.ForcePolicy;
import io.journal.internal.control.ControlFile;
import io.journal.internal.control.WriterFence;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.segment.Segment;
import io.journal.store.SegmentStore;

/**
 * Group commit: decides which thread fsyncs, and when.
 * <p>
 * One fsync is in flight at a time, made by the leader, one of the waiting threads. Threads that arrive meanwhile
 * follow; the next leader's fsync covers all of them.
 */
public final class Forcer implements AutoCloseable
{
    private static final long NO_LIMIT = Long.MAX_VALUE;
    // Waiters recheck at this interval: a leader that ran out of memory, or was stopped otherwise, may not have woken
    // them.
    private static final long RECHECK_NS = TimeUnit.SECONDS.toNanos(1);

    // Leadership: guards the durable end. Excludes a second fsync, the state changes of prune and truncateAfter
    // (exclusively, restart), and close, which closes the segments that an fsync uses.
    private final OrderedLock lock;
    private final AgentWakeup wakeup;
    private final DurableEnd end;
    private final GroupPause groupPause;
    private final Waiters waiters = new Waiters();
    private final Positions positions;
    private final ForcePolicy policy;
    // Created once, so that an fsync allocates nothing.
    private final Runnable forceAppended;
    private final Runnable forceTogether = this::forceTogether;
    private final FailureLatch latch;
    private long nextForceNs;
    private volatile Runnable onForced;
    private volatile BooleanSupplier agent = () -> false;

    public Forcer(
        final Positions positions,
        final ControlFile control,
        final ForcePolicy policy,
        final FailureLatch latch,
        final WriterFence fence,
        final SegmentStore store,
        final boolean isBatching)
    {
        this.positions = positions;
        this.policy = policy;
        this.latch = latch;
        lock = new OrderedLock(OrderedLock.Level.FORCE, latch);
        final boolean isMapped = SegmentStore.Memory.MAPPED == store.memory();
        end = new DurableEnd(positions, control, latch, fence, isMapped ? new ReadBack(store) : null, waiters);
        forceAppended = end::forceAppended;
        groupPause = new GroupPause(positions);
        wakeup = new AgentWakeup(positions, policy, isBatching, latch);
        // Followers are parked and would not notice the failure.
        latch.onFailure(this::wakeWaiters);
    }

    /** The wake-up on which the background agent waits for records. */
    public AgentWakeup wakeup()
    {
        return wakeup;
    }

    /** Sets the test of whether the calling thread is the background agent's. */
    public void agent(final BooleanSupplier agent)
    {
        this.agent = agent;
    }

    /** Sets a callback that runs after each fsync, on the thread that made it. It may also run without one. */
    public void onForced(final Runnable onForced)
    {
        this.onForced = onForced;
    }

    /** Starts with a segment. */
    void start(final TailWriter tail, final Segment segment, final long term)
    {
        leading(() ->
        {
            end.start(tail, segment, term);
            nextForceNs = System.nanoTime();
        });
    }

    /** Continues where a truncation begins a term. Runs in {@link #exclusively}. */
    void restart(final long term)
    {
        end.restart(term);
        waiters.truncatedAfter(positions.appendedSequence());
    }

    /** Queues the next segment on a roll. Its first sequence is set, and nothing in it is published yet. */
    void rolled(final Segment next)
    {
        end.add(next);
    }

    /**
     * Waits until all records up to a sequence are durable. The calling thread leads an fsync of everything appended by
     * then, unless another thread leads or a periodic policy leaves that to the background agent.
     */
    public void awaitForced(final long sequence)
    {
        awaitForced(sequence, NO_LIMIT);
    }

    /** As {@link #awaitForced(long)}, with a timeout. A thread that leads an fsync returns only when that has ended. */
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
     * Under a periodic policy the background agent leads. Exceptions: the journal is closed or failed, so the agent
     * makes no more fsyncs; or the calling thread is the agent's and would wait for itself forever.
     */
    private boolean mayLead(final long timeoutNs)
    {
        return !policy.isPeriodic() || !latch.isOpen() ||
            NO_LIMIT == timeoutNs && agent.getAsBoolean();
    }

    private void lead(final long sequence)
    {
        try
        {
            if (positions.forcedSequence() < sequence)
            {
                end.checkForcible(sequence);
                forceTogether();
            }
        }
        finally
        {
            handOver();
        }
    }

    /** Fsyncs what is appended once the appenders that the last fsync released are back. */
    private void forceTogether()
    {
        groupPause.await();
        end.forceAppended();
        groupPause.forced(policy.isPeriodic() || !waiters.isEmpty());
    }

    private boolean follow(final long sequence, final long timeoutNs)
    {
        final long startNs = NO_LIMIT == timeoutNs ? 0 : System.nanoTime();
        boolean wasInterrupted = false;
        // Queued before the first check: a leader that ends after the check finds the waiter in the queue.
        final Waiters.Waiter waiter = waiters.add(sequence);
        try
        {
            while (waiter.isTruncated || positions.forcedSequence() < sequence)
            {
                // A woken waiter must take leadership even if it will fail: only the leader wakes the rest.
                if (mayLead(timeoutNs) && lock.tryLock())
                {
                    // Another record may have the sequence by now. Truncation takes the lock, so this check is final.
                    if (!waiter.isTruncated)
                    {
                        lead(sequence);
                        return true;
                    }
                    handOver();
                }

                if (waiter.isTruncated)
                {
                    throw DurableEnd.truncated(sequence);
                }
                end.checkForcible(sequence);
                final long leftNs = NO_LIMIT == timeoutNs ? NO_LIMIT : timeoutNs - (System.nanoTime() - startNs);
                if (leftNs <= 0)
                {
                    return false;
                }
                LockSupport.parkNanos(this, Math.min(leftNs, RECHECK_NS));
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

    /** Fsyncs all that is appended. */
    public void force()
    {
        leading(forceAppended);
    }

    /** Called after each record if the policy demands: waits until it is durable, or wakes the background agent. */
    public void appended(final long sequence)
    {
        if (policy.isEveryRecord())
        {
            awaitForced(sequence);
        }
        else
        {
            wakeup.appended();
        }
    }

    /** Fsyncs what is appended if the interval of a periodic policy has passed. A duty of the background agent. */
    public boolean forcePeriodically()
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
        // Records that arrive within an interval are covered by its fsync anyway.
        leading(0 == policy.intervalNs() ? forceTogether : forceAppended);
        return true;
    }

    /** Fsyncs the oldest segment if it is complete and below an ordinal. Returns whether there was one. */
    public boolean forceComplete(final long belowOrdinal)
    {
        if (end.backlog() < 2 || end.oldestOrdinal() >= belowOrdinal)
        {
            return false;
        }

        leading(end::forceComplete);
        return true;
    }

    /** Runs an action while no fsync is in flight. */
    public void exclusively(final Runnable action)
    {
        leading(() ->
        {
            end.checkOpen();
            action.run();
        });
    }

    /** Fsyncs zeros that were written after the records of a segment, unless the journal is closed. */
    void forceZeros(final Segment segment, final int from, final int to)
    {
        leading(() ->
        {
            if (!end.isClosed())
            {
                end.change("force", () -> segment.file.force(from, to));
            }
        });
    }

    @Override
    public void close()
    {
        leading(end::close);
    }

    private void leading(final Runnable action)
    {
        lock.lock();
        try
        {
            action.run();
        }
        finally
        {
            handOver();
        }
    }

    private void handOver()
    {
        release();
        positions.forcedWakeup.moved();
        final Runnable onForced = this.onForced;
        if (null != onForced)
        {
            onForced.run();
        }
    }

    private void release()
    {
        lock.unlock();
        if (!waiters.isEmpty())
        {
            wakeWaiters();
        }
    }

    public void wakeWaiters()
    {
        try
        {
            final long forced = positions.forcedSequence();
            // No fsync can serve the other waiters, or none will come by itself: wake them to detect that.
            if (!latch.isOpen() || end.isClosed() || positions.appendedSequence() <= forced)
            {
                waiters.wakeAll();
                return;
            }
            if (!policy.isPeriodic())
            {
                // Wakes the next leader first, so that its fsync is in flight while the followers return.
                waiters.wakeUnserved(forced);
            }
            waiters.wakeServed(forced);
        }
        catch (final OutOfMemoryError ignore)
        {
            // Selecting waiters takes memory, so wake all. A thread that is woken in vain parks again.
            waiters.wakeAll();
        }
    }

    /** Number of threads that wait for another thread's fsync. */
    public int waiters()
    {
        return waiters.count();
    }

    /** Number and duration of all fsyncs since the journal was opened. Thread-safe. */
    public ForceTimes times()
    {
        return end.times;
    }

    /** Number of segments that are not durable up to their end. */
    public int backlog()
    {
        return end.backlog();
    }

    /**
     * Makes a record durable, at once even under a periodic policy: the calling thread may be the one that runs the
     * background agent.
     */
    public void forceUpTo(final long sequence)
    {
        if (!policy.isPeriodic())
        {
            awaitForced(sequence);
        }
        else if (sequence > positions.forcedSequence())
        {
            force();
        }
    }
}
