// SPDX-License-Identifier: Apache-2.0
package io.journal.replicated;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Runtime metrics of a {@link ReplicatedJournal}. Thread-safe; no getter allocates. Each getter returns the current
 * value.
 */
public final class WriterCounters
{
    // Written under the writer's lock.
    final AtomicLong appended = new AtomicLong();
    final AtomicLong messages = new AtomicLong();
    final AtomicLong resent = new AtomicLong();
    final AtomicLong leaderChanges = new AtomicLong();
    final AtomicLong gaps = new AtomicLong();
    final AtomicLong backPressureTimeNs = new AtomicLong();

    WriterCounters()
    {
    }

    /** Under the writer's lock, so nothing has to be atomic. */
    static void add(final AtomicLong counter, final long value)
    {
        counter.setRelease(counter.getPlain() + value);
    }

    /** {@return the number of records appended} */
    public long appended()
    {
        return appended.get();
    }

    /** {@return the number of messages sent with records; several records that wait share one} */
    public long messages()
    {
        return messages.get();
    }

    /** {@return the number of records that were sent again, since they might have been lost with a leader} */
    public long resent()
    {
        return resent.get();
    }

    /** {@return how often a leader was found, including the first time} */
    public long leaderChanges()
    {
        return leaderChanges.get();
    }

    /** {@return how often members refused records because an earlier record was missing} */
    public long gaps()
    {
        return gaps.get();
    }

    /** {@return how long appends waited for room in the window, in nanoseconds} */
    public long backPressureTimeNs()
    {
        return backPressureTimeNs.get();
    }

    @Override
    public String toString()
    {
        return "WriterCounters{appended=" + appended + ", messages=" + messages + ", resent=" + resent +
            ", leaderChanges=" + leaderChanges + ", gaps=" + gaps + ", backPressureTimeNs=" + backPressureTimeNs + '}';
    }
}
