// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.Arrays;

import io.journal.Checkpoint;
import org.agrona.collections.Long2ObjectHashMap;

/** The index of the newest events, in memory. Thread-safe: one thread adds, any number look up. */
final class Tail implements Source
{
    private final long first;
    // Of each key the count, then positions relative to the first. What is counted never changes: a reader may keep it.
    private final Long2ObjectHashMap<int[]> lists = new Long2ObjectHashMap<>();
    private int count;
    private int entries;
    private Checkpoint end;

    Tail(final long first)
    {
        this.first = first;
        end = new Checkpoint(0, first - 1);
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

    /** No more events are added. */
    synchronized void end(final Checkpoint checkpoint)
    {
        end = checkpoint;
    }

    synchronized int count()
    {
        return count;
    }

    synchronized int entryCount()
    {
        return entries;
    }

    synchronized Entries entries()
    {
        final Entries all = new Entries(entries);
        lists.forEachLong((key, list) ->
        {
            for (int i = 1; i <= list[0]; i++)
            {
                all.add(key, list[i]);
            }
        });

        return all;
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
    public synchronized Checkpoint end()
    {
        return end;
    }

    @Override
    public synchronized Candidates candidates(final long key)
    {
        final int[] list = lists.get(key);
        return Candidates.sorted(null == list ? 0 : list[0], (index) -> first + list[1 + index]);
    }
}
