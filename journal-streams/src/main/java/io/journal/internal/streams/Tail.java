// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.Arrays;

import io.journal.Checkpoint;
import org.agrona.collections.Long2ObjectHashMap;

/**
 * The index of the newest events, in memory. Thread-safe: one thread adds, any number look up.
 */
final class Tail implements Source
{
    private final long first;
    // Count, then positions relative to the first. Entries up to the count never change, so a reader may keep the
    // array.
    private final Long2ObjectHashMap<int[]> postings = new Long2ObjectHashMap<>();
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
            final int[] list = postings.get(key);
            if (null == list)
            {
                postings.put(key, new int[]{ 1, count });
            }
            else if (list[list[0]] != count)
            {
                // If the event has the key twice, because two hashes are equal, it is listed once.
                final int used = list[0] + 1;
                final int[] longer = used < list.length ? list : Arrays.copyOf(list, 2 * used);
                longer[used] = count;
                longer[0] = used;
                if (longer != list)
                {
                    postings.put(key, longer);
                }
            }
            entries++;
        }
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

    synchronized Entries entries()
    {
        final Entries all = new Entries(entries);
        postings.forEachLong((key, list) ->
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
    public synchronized Postings postings(final long key)
    {
        final int[] list = postings.get(key);
        if (null == list)
        {
            return Postings.NONE;
        }
        final int size = list[0];

        return new Postings()
        {
            @Override
            int size()
            {
                return size;
            }

            @Override
            long at(final int index)
            {
                return first + list[1 + index];
            }
        };
    }
}
