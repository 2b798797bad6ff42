// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.platform;

import java.time.Duration;

/**
 * Timeouts of any length.
 */
public final class Durations
{
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);

    private Durations()
    {
    }

    /** Nanoseconds of a timeout: 0 if it is negative, and the longest possible one if it is longer than that. */
    public static long toNanos(final Duration timeout)
    {
        if (timeout.isNegative())
        {
            return 0;
        }

        return timeout.compareTo(LONGEST) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
    }
}
