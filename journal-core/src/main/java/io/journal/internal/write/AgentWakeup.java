// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.lang.invoke.VarHandle;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import io.journal.ForcePolicy;
import io.journal.internal.files.FailureLatch;

/**
 * Where the background agent's thread parks. The appending thread wakes it for the first record that it is to fsync at
 * once, as {@code ForcePolicy.every(0)} demands, and for the first record after a pause that it is to fsync or write
 * soon. Lock-free.
 */
final class AgentWakeup
{
    // An appender that was notified is back with its next record by then.
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(50);

    // What no record causes is due within this time.
    private static final long MAX_PARK_NS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Positions positions;
    private final FailureLatch latch;
    private final boolean isPeriodic;
    private final boolean isForcedAtOnce;
    private volatile Thread parked;
    // Of the agent's thread: when it had work last, and whether it has parked since it waits for a record.
    private long busyNs = System.nanoTime();
    private boolean hasParked;

    AgentWakeup(final Positions positions, final ForcePolicy policy, final FailureLatch latch)
    {
        this.positions = positions;
        this.latch = latch;
        isPeriodic = policy.isPeriodic();
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
     * Parks the agent's thread until there is a record that it is to fsync or write, it is woken for another reason, or
     * a time has passed: while there may be records, the given one.
     *
     * @param wasBusy whether there was work: records are likely to come soon.
     */
    void park(final long idleNs, final boolean wasBusy)
    {
        if (isForcedAtOnce)
        {
            parkUntilDue(idleNs, wasBusy);
        }
        else if (idleNs < MAX_PARK_NS && isQuiet(wasBusy))
        {
            parkUntilAppended();
        }
        else
        {
            LockSupport.parkNanos(this, idleNs);
        }
    }

    private boolean isQuiet(final boolean wasBusy)
    {
        final long nowNs = System.nanoTime();
        if (wasBusy || isWorkWaiting())
        {
            busyNs = nowNs;
            hasParked = false;
        }

        return nowNs - busyNs >= RecordWakeup.IDLE_NS;
    }

    private void parkUntilAppended()
    {
        final RecordWakeup appended = positions.appendedWakeup;
        appended.begin();
        try
        {
            if (!isWorkWaiting())
            {
                hasParked = !appended.park(!hasParked, MAX_PARK_NS);
            }
        }
        finally
        {
            appended.end();
        }
    }

    private void parkUntilDue(final long idleNs, final boolean isSpinning)
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
            LockSupport.parkNanos(this, idleNs);
        }
        parked = null;
    }

    private boolean isDue()
    {
        // A failed journal is not fsynced any more.
        return positions.forcedSequence() < positions.appendedSequence() && latch.isOpen();
    }

    private boolean isWorkWaiting()
    {
        return isPeriodic && isDue() || positions.writtenSequence() < positions.appendedSequence() && latch.isOpen();
    }
}
