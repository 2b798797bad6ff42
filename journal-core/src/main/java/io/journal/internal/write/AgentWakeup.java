// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.ForcePolicy;
import io.journal.internal.files.FailureLatch;

/**
 * The background agent waits for records here. The appending thread wakes it for the first record to fsync at once, as
 * {@code ForcePolicy.every(0)} demands; a resting agent also for the first record to fsync or write soon. Lock-free.
 */
public final class AgentWakeup
{
    // Within this time a notified appender has usually appended its next record.
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(50);
    private static final long MIN_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long MAX_PARK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Positions positions;
    private final FailureLatch latch;
    private final boolean isPeriodic;
    private final boolean isForcedAtOnce;
    private final boolean isForRecords;
    private final long parkNs;
    private volatile Thread parked;

    /**
     * @param isBatching whether records wait in a window to be written.
     */
    AgentWakeup(
        final Positions positions, final ForcePolicy policy, final boolean isBatching, final FailureLatch latch)
    {
        this.positions = positions;
        this.latch = latch;
        isPeriodic = policy.isPeriodic();
        isForcedAtOnce = 0 == policy.intervalNs();
        isForRecords = isPeriodic || isBatching;
        final long forceNs = policy.intervalNs() > 0 ? Math.max(MIN_PARK_NS, policy.intervalNs()) : MAX_PARK_NS;
        parkNs = Math.min(forceNs, isBatching ? MIN_PARK_NS : MAX_PARK_NS);
    }

    /** Wakes the agent if it is parked. Called by the appending thread after it has published a record. */
    void appended()
    {
        // Publishes, then reads "parked"; the agent's thread does the reverse.
        VarHandle.fullFence();
        final Thread agent = parked;
        if (null != agent)
        {
            LockSupport.unpark(agent);
        }
    }

    /**
     * Parks the agent's thread until it is woken, or a short time has passed.
     *
     * @param wasBusy whether there was work: records are likely to come soon.
     */
    void park(final boolean wasBusy)
    {
        if (isForcedAtOnce)
        {
            parkUntilDue(wasBusy);
        }
        else
        {
            LockSupport.parkNanos(this, parkNs);
        }
    }

    private void parkUntilDue(final boolean isSpinning)
    {
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
            LockSupport.parkNanos(this, parkNs);
        }
        parked = null;
    }

    private boolean isDue()
    {
        // A failed journal is not fsynced any more.
        return positions.forcedSequence() < positions.appendedSequence() && latch.isOpen();
    }

    /** Whether there are records that the agent is to fsync or write. */
    boolean isWorkWaiting()
    {
        return isPeriodic && isDue() || positions.writtenSequence() < positions.appendedSequence() && latch.isOpen();
    }

    /**
     * Makes the next record wake the agent, if it handles records. Parks briefly, so that records published meanwhile
     * without a fence are visible afterwards.
     */
    void rest(final Runnable wake)
    {
        if (isForRecords)
        {
            positions.appendedWakeup.rest(wake);
            final long startNs = System.nanoTime();
            while (!isWorkWaiting() && System.nanoTime() - startNs < MIN_PARK_NS)
            {
                // Returns at once if the thread was unparked before.
                LockSupport.parkNanos(this, MIN_PARK_NS);
            }
        }
    }

    /** Ends the agent's rest. */
    void resume()
    {
        positions.appendedWakeup.rest(null);
    }
}
