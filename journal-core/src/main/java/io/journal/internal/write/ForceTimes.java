// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.concurrent.atomic.AtomicLong;

/**
 * How many fsyncs of segments there were, and how long they took. Changed under the lock of the {@link Forcer}; read by
 * any thread.
 */
public final class ForceTimes
{
    private final AtomicLong count = new AtomicLong();
    private final AtomicLong totalNs = new AtomicLong();
    private final AtomicLong maxNs = new AtomicLong();

    void add(final long durationNs)
    {
        count.lazySet(count.get() + 1);
        totalNs.lazySet(totalNs.get() + durationNs);
        maxNs.lazySet(Math.max(maxNs.get(), durationNs));
    }

    public long count()
    {
        return count.get();
    }

    public long totalNs()
    {
        return totalNs.get();
    }

    public long maxNs()
    {
        return maxNs.get();
    }
}
