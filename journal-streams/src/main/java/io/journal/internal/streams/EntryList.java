// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.Arrays;

/** Entries of an index file in the making. Added in the order of their positions; sorted once. */
final class EntryList implements Entries
{
    private static final int DIGIT_BITS = 11;
    private static final int DIGITS = 1 << DIGIT_BITS;

    private final long first;
    private long[] keys = new long[64];
    // Relative to the first.
    private int[] positions = new int[64];
    private int count;

    EntryList(final long first)
    {
        this.first = first;
    }

    @Override
    public int count()
    {
        return count;
    }

    @Override
    public long key(final int index)
    {
        return keys[index];
    }

    @Override
    public long position(final int index)
    {
        return first + positions[index];
    }

    /** Positions of equal keys must rise. */
    void add(final long key, final long position)
    {
        if (count == keys.length)
        {
            keys = Arrays.copyOf(keys, count + (count >> 1));
            positions = Arrays.copyOf(positions, keys.length);
        }
        keys[count] = key;
        positions[count++] = (int)(position - first);
    }

    /** A radix sort from the lowest digit on: stable, and faster than comparing. */
    EntryList sort()
    {
        long[] toKeys = new long[count];
        int[] toPositions = new int[count];
        for (int shift = 0; shift < Long.SIZE; shift += DIGIT_BITS)
        {
            final int[] next = new int[DIGITS + 1];
            for (int i = 0; i < count; i++)
            {
                next[digit(keys[i], shift) + 1]++;
            }
            for (int i = 1; i < DIGITS; i++)
            {
                next[i] += next[i - 1];
            }
            for (int i = 0; i < count; i++)
            {
                final int place = next[digit(keys[i], shift)]++;
                toKeys[place] = keys[i];
                toPositions[place] = positions[i];
            }
            final long[] sortedKeys = toKeys;
            final int[] sortedPositions = toPositions;
            toKeys = keys;
            toPositions = positions;
            keys = sortedKeys;
            positions = sortedPositions;
        }

        return this;
    }

    private static int digit(final long key, final int shift)
    {
        return (int)(key >>> shift & DIGITS - 1);
    }
}
