// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.write;

import java.util.concurrent.TimeUnit;

/**
 * Gives the appenders of the last group commit time to return before the next fsync. Otherwise they miss it, and the
 * group splits into two halves that wait for each other in turn. Guarded by the lock of the {@link Forcer}.
 */
final class GroupPause
{
    private static final long IDLE_NS = TimeUnit.MICROSECONDS.toNanos(30);
    private static final long LIMIT_NS = TimeUnit.MICROSECONDS.toNanos(200);

    private final Positions positions;
    // Duration of the last fsync, capped, and the number of records it covered if it had followers.
    private long forceNs;
    private long covered;
    // When and where the fsync begins.
    private long beginNs;
    private long beginSequence;

    GroupPause(final Positions positions)
    {
        this.positions = positions;
    }

    /** Called when the fsync has ended. */
    void forced(final boolean hasFollowers)
    {
        forceNs = Math.min(LIMIT_NS, System.nanoTime() - beginNs);
        covered = hasFollowers ? positions.forcedSequence() - beginSequence : 0;
    }

    /**
     * Waits until as many records have arrived as the last fsync covered, at most as long as that fsync took, and only
     * while records keep arriving. A lone thread does not wait.
     */
    void await()
    {
        final long wanted = positions.forcedSequence() + covered;
        final long startNs = System.nanoTime();
        long seen = positions.appendedSequence();
        long seenNs = startNs;
        long nowNs = startNs;
        while (seen < wanted && nowNs - seenNs < IDLE_NS && nowNs - startNs < forceNs)
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
        beginNs = nowNs;
        beginSequence = positions.forcedSequence();
    }
}
