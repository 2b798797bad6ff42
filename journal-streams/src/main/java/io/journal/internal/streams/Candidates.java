// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.List;
import java.util.function.IntToLongFunction;

/** Positions at which an event may match. For one thread. */
@FunctionalInterface
interface Candidates
{
    /** There is no candidate. */
    long NONE = 0;

    /** Every position. */
    Candidates ALL = (from, isForward) -> from;

    /** The first candidate from a position on, or the last one up to a position. */
    long find(long from, boolean isForward);

    /** Candidates of any. */
    static Candidates union(final List<Candidates> all)
    {
        return 1 == all.size() ? all.get(0) : (from, isForward) ->
        {
            long nearest = NONE;
            for (final Candidates each : all)
            {
                final long found = each.find(from, isForward);
                if (NONE != found && (NONE == nearest || isForward == found < nearest))
                {
                    nearest = found;
                }
            }
            return nearest;
        };
    }

    /** Candidates of all: each moves to where the others are, until none has to. */
    static Candidates intersection(final List<Candidates> all)
    {
        return 1 == all.size() ? all.get(0) : (from, isForward) ->
        {
            long position = from;
            for (int i = 0, agreed = 0; NONE != position && agreed < all.size(); i = (i + 1) % all.size())
            {
                final long found = all.get(i).find(position, isForward);
                agreed = found == position ? agreed + 1 : 1;
                position = found;
            }
            return position;
        };
    }

    /** Rising positions. */
    static Candidates sorted(final int size, final IntToLongFunction positions)
    {
        return (from, isForward) ->
        {
            // The first that is not before, or that is after.
            int low = 0;
            int high = size;
            while (low < high)
            {
                final int middle = low + high >>> 1;
                final long position = positions.applyAsLong(middle);
                if (position < from || !isForward && position == from)
                {
                    low = middle + 1;
                }
                else
                {
                    high = middle;
                }
            }
            final int index = isForward ? low : low - 1;
            return index >= 0 && index < size ? positions.applyAsLong(index) : NONE;
        };
    }
}
