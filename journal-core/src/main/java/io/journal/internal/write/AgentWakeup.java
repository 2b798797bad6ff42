package io.journal.internal.write;

import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.ForcePolicy;
import io.journal.internal.files.FailureLatch;

/**
 * Wakes the background agent for the first record that it is to fsync at once, as {@code ForcePolicy.every(0)} demands.
 * The agent's thread parks here; the appending thread wakes it. Lock-free.
 */
final class AgentWakeup
{
    // An appender that was notified is back with its next record by then.
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(50);

    private final Positions positions;
    private final FailureLatch latch;
    private final boolean isForcedAtOnce;
    private volatile Thread parked;

    AgentWakeup(final Positions positions, final ForcePolicy policy, final FailureLatch latch)
    {
        this.positions = positions;
        this.latch = latch;
        isForcedAtOnce = 0 == policy.intervalNs();
    }

    /** Wakes the agent if it is parked. By the appending thread, when it has published a record. */
    void appended()
    {
        // Publishes, then looks; the agent's thread does it the other way round.
        VarHandle.fullFence();
        final Thread agent = parked;
        if (null != agent)
        {
            LockSupport.unpark(agent);
        }
    }

    /**
     * Parks the agent's thread until there is a record to fsync at once, it is woken for another reason, or a time has
     * passed.
     *
     * @param isSpinning whether records are likely to come soon.
     */
    void park(final long idleNs, final boolean isSpinning)
    {
        if (!isForcedAtOnce)
        {
            LockSupport.parkNanos(this, idleNs);
            return;
        }

        final long startNs = System.nanoTime();
        while (isSpinning && !isDue() && System.nanoTime() - startNs < SPIN_NS)
        {
            // The appender may need this processor.
            Thread.yield();
        }
        parked = Thread.currentThread();
        VarHandle.fullFence();
        if (!isDue())
        {
            LockSupport.parkNanos(this, idleNs);
        }
        parked = null;
    }

    private boolean isDue()
    {
        // A failed journal is not fsynced any more.
        return positions.forcedSequence() < positions.appendedSequence() && latch.isOpen();
    }
}
