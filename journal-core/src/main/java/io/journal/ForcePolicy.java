// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Decides when a journal forces (fsyncs) without an explicit call. Immutable.
 * <p>
 * Under every policy {@link Journal#force()} forces at once, closing forces, and the background agent forces completed
 * segments. A table in {@code docs/durability.md} lists what each call guarantees under which policy.
 */
public final class ForcePolicy
{
    private static final long NOT_PERIODIC = -1;
    private static final ForcePolicy MANUAL = new ForcePolicy(false, NOT_PERIODIC);
    private static final ForcePolicy EVERY_RECORD = new ForcePolicy(true, NOT_PERIODIC);

    private final boolean isEveryRecord;
    private final long intervalNs;

    private ForcePolicy(final boolean isEveryRecord, final long intervalNs)
    {
        this.isEveryRecord = isEveryRecord;
        this.intervalNs = intervalNs;
    }

    /**
     * {@return the default: the application decides, {@link Journal#force()} and {@link Journal#awaitForced(long)}
     * force at once}
     */
    public static ForcePolicy manual()
    {
        return MANUAL;
    }

    /**
     * {@return a policy under which every append method returns when its record is durable} Threads that append at the
     * same time share one fsync (group commit).
     */
    public static ForcePolicy everyRecord()
    {
        return EVERY_RECORD;
    }

    /**
     * The background agent forces when there is something to force and the interval has passed since its previous force
     * began. {@link Journal#awaitForced(long)} waits for it. A loss of power loses the records that were appended
     * within about two intervals and that no thread waited for. An interval above 0 counts as 1 ms at least.
     *
     * @param interval between the starts of two forces, 0 or more; with 0, the next force starts at once while there is
     *                 something to force.
     * @return the policy.
     * @throws IllegalArgumentException if the interval is negative or longer than a day.
     */
    public static ForcePolicy every(final Duration interval)
    {
        Objects.requireNonNull(interval, "interval");
        if (interval.isNegative() || interval.compareTo(Duration.ofDays(1)) > 0)
        {
            throw new IllegalArgumentException("interval must be from 0 to a day: interval=" + interval);
        }

        return new ForcePolicy(false, interval.toNanos());
    }

    @Override
    public String toString()
    {
        return isEveryRecord ? "everyRecord" :
            isPeriodic() ? "every " + TimeUnit.NANOSECONDS.toMicros(intervalNs) + " us" : "manual";
    }

    /** {@return whether it is {@link #everyRecord()}} */
    public boolean isEveryRecord()
    {
        return isEveryRecord;
    }

    /** {@return whether it is one of {@link #every(Duration)}} */
    public boolean isPeriodic()
    {
        return intervalNs >= 0;
    }

    /** {@return the interval of {@link #every(Duration)} in nanoseconds; -1 for the other policies} */
    public long intervalNs()
    {
        return intervalNs;
    }
}
