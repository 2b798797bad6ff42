// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.Arrays;

import io.journal.Checkpoint;
import org.agrona.collections.Long2ObjectHashMap;

/** The index of the newest events, in memory. Thread-safe: one thread adds, any number look up. */
final class Tail implements Source
{
    /** Of the event before the first. */
    final Checkpoint before;
    /** Of the last event; set once no more are added. */
    volatile Checkpoint end = Checkpoint.START;
    private final long first;
    // Of each key the count, then positions relative to the first.
    private final Long2ObjectHashMap<int[]> lists = new Long2ObjectHashMap<>();
    private int count;
    private int entries;

    Tail(final Checkpoint before)
    {
        this.before = before;
        first = before.sequence() + 1;
    }

    synchronized void add(final long[] keys)
    {
        for (final long key : keys)
        {
            final int[] list = lists.get(key);
            if (null == list)
            {
                lists.put(key, new int[]{ 1, count });
            }
            else if (list[list[0]] != count)
            {
                // Otherwise two names of the event have equal hashes.
                final int used = list[0] + 1;
                final int[] longer = used < list.length ? list : Arrays.copyOf(list, 2 * used);
                longer[used] = count;
                longer[0] = used;
                lists.put(key, longer);
            }
        }
        entries += keys.length;
        count++;
    }

    synchronized int count()
    {
        return count;
    }

    synchronized int entryCount()
    {
        return entries;
    }

    synchronized EntryList entries()
    {
        final EntryList all = new EntryList(first);
        lists.forEachLong((key, list) ->
        {
            for (int i = 1; i <= list[0]; i++)
            {
                all.add(key, first + list[i]);
            }
        });

        return all.sort();
    }

    @Override
    public long first()
    {
        return first;
    }

    @Override
    public synchronized long last()
    {
        return first + count - 1;
    }

    @Override
    public synchronized long find(final long key, final long from, final long to)
    {
        final int[] list = lists.get(key);
        if (null == list)
        {
            return NONE;
        }
        final boolean isForward = from <= to;
        final int next = (int)Source.bisect(1, list[0] + 1,
            (i) -> first + list[(int)i] < from || !isForward && first + list[(int)i] == from);
        final int at = isForward ? next : next - 1;
        final long found = at < 1 || at > list[0] ? NONE : first + list[at];

        return isForward && found > to || !isForward && found < to ? NONE : found;
    }
}
