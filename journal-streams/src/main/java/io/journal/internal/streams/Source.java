// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.function.LongPredicate;

/** A part of the index, for a range of positions. */
interface Source
{
    /** There is no candidate. */
    long NONE = 0;

    long first();

    /** The last position; for the tail that of its newest event. */
    long last();

    /** The position from one to another, inclusive, that is nearest to the first of them and may have a key. */
    long find(long key, long from, long to);

    /** The lowest value in a range that is not before what is looked for; the end of the range if all are. */
    static long bisect(final long begin, final long end, final LongPredicate isBefore)
    {
        long low = begin;
        long high = end;
        while (low < high)
        {
            final long middle = low + high >>> 1;
            if (isBefore.test(middle))
            {
                low = middle + 1;
            }
            else
            {
                high = middle;
            }
        }

        return low;
    }
}
