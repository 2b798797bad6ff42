// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

/** Rising positions of one key in one source. */
abstract class Postings
{
    static final long NONE_AFTER = Long.MAX_VALUE;
    static final long NONE_BEFORE = 0;

    static final Postings NONE = new Postings()
    {
        @Override
        int size()
        {
            return 0;
        }

        @Override
        long at(final int index)
        {
            throw new IndexOutOfBoundsException(index);
        }
    };

    abstract int size();

    abstract long at(int index);

    /** The first position from a position on, or {@link #NONE_AFTER}. */
    long next(final long from)
    {
        final int index = indexOf(from);
        return index < size() ? at(index) : NONE_AFTER;
    }

    /** The last position up to a position, or {@link #NONE_BEFORE}. */
    long previous(final long upTo)
    {
        final int index = indexOf(upTo + 1) - 1;
        return index >= 0 ? at(index) : NONE_BEFORE;
    }

    /** Index of the first position that is not lower. */
    private int indexOf(final long position)
    {
        int low = 0;
        int high = size();
        while (low < high)
        {
            final int middle = low + high >>> 1;
            if (at(middle) < position)
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
