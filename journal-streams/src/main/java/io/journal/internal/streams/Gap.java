// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import org.jspecify.annotations.Nullable;

/** A range that is not indexed, until it is: every position may match. */
record Gap(long first, long last) implements Source
{
    @Override
    public long find(final long key, final long from, final long to)
    {
        final long nearest = Math.min(Math.max(from, first), last);
        return nearest >= Math.min(from, to) && nearest <= Math.max(from, to) ? nearest : NONE;
    }

    /** Gaps of equal bounds may be of different histories. */
    @Override
    public boolean equals(final @Nullable Object other)
    {
        return this == other;
    }

    @Override
    public int hashCode()
    {
        return System.identityHashCode(this);
    }
}
