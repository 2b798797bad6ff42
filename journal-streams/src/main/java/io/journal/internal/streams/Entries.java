// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.Arrays;

/** Entries of an index file in the making: keys, and positions relative to the first. */
final class Entries
{
    private static final int DIGIT_BITS = 11;
    private static final int DIGITS = 1 << DIGIT_BITS;

    private long[] keys;
    private int[] positions;
    private int count;

    Entries(final int capacity)
    {
        keys = new long[capacity];
        positions = new int[capacity];
    }

    int count()
    {
        return count;
    }

    long key(final int index)
    {
        return keys[index];
    }

    int position(final int index)
    {
        return positions[index];
    }

    void clear()
    {
        count = 0;
    }

    /** Positions of equal keys must rise. */
    void add(final long key, final int position)
    {
        if (count == keys.length)
        {
            final int length = Math.max(64, count + (count >> 1));
            keys = Arrays.copyOf(keys, length);
            positions = Arrays.copyOf(positions, length);
        }
        keys[count] = key;
        positions[count++] = position;
    }

    /** Sorts by key, unsigned, and leaves entries of equal keys in their order. */
    void sort()
    {
        // A radix sort from the lowest digit on is stable, and faster than comparing.
        long[] fromKeys = keys;
        int[] fromPositions = positions;
        long[] toKeys = new long[count];
        int[] toPositions = new int[count];
        for (int shift = 0; shift < Long.SIZE; shift += DIGIT_BITS)
        {
            final int[] next = new int[DIGITS + 1];
            for (int i = 0; i < count; i++)
            {
                next[(int)(fromKeys[i] >>> shift & DIGITS - 1) + 1]++;
            }
            for (int i = 1; i < DIGITS; i++)
            {
                next[i] += next[i - 1];
            }
            for (int i = 0; i < count; i++)
            {
                final int place = next[(int)(fromKeys[i] >>> shift & DIGITS - 1)]++;
                toKeys[place] = fromKeys[i];
                toPositions[place] = fromPositions[i];
            }
            final long[] spareKeys = fromKeys;
            final int[] sparePositions = fromPositions;
            fromKeys = toKeys;
            fromPositions = toPositions;
            toKeys = spareKeys;
            toPositions = sparePositions;
        }
        keys = fromKeys;
        positions = fromPositions;
    }
}
