// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.journal.JournalReader;
import io.journal.RecordHandler;

/**
 * Passes records by sequence, for any number of threads. Each call takes a lookup, preferably one that was in the same
 * segment before, from a place that few other threads use, and puts it back. An idle lookup stays in its segment, so
 * that threads which read the same segment do not write to shared memory. Thread-safe, without a lock.
 */
public final class RecordLookups
{
    private static final int GROUP_LENGTH = 4;
    private static final int CAPACITY = 8 * GROUP_LENGTH;
    // Distance of two places, so that they do not share a cache line. The first stride is left out, because its cache
    // line holds the array's length, which each access reads.
    private static final int STRIDE = 16;
    private static final int READ_LENGTH = 4 * 1024;
    private static final int MAX_KEPT_LENGTH = 1024 * 1024;

    private final ReadSource source;
    private final AtomicReferenceArray<Lookup> idle = new AtomicReferenceArray<>((CAPACITY + 1) * STRIDE);
    private final AtomicInteger count = new AtomicInteger();
    // Number of calls of clear().
    private final AtomicInteger clears = new AtomicInteger();
    private volatile boolean isClosed;

    RecordLookups(final ReadSource source)
    {
        this.source = source;
    }

    public int get(final long first, final int limit, final RecordHandler handler)
    {
        Reader.checkArguments(handler, limit);
        final int group = source.segmentOf(first) * GROUP_LENGTH;
        final int own = (int)Thread.currentThread().getId();
        final Lookup lookup = take(group, own);
        try
        {
            return lookup.reader.get(first, limit, handler);
        }
        finally
        {
            final int clearsSeen = lookup.clearsSeen;
            putBack(lookup, group, own);
            // The lookup is put back before this is read, and clear() does the reverse: at least one of the two threads
            // sees the other.
            if (clearsSeen != clears.get() || isClosed)
            {
                clearIdle();
            }
        }
    }

    /** Closes the segments that idle lookups hold; those in use follow when they are put back. */
    void clear()
    {
        clears.incrementAndGet();
        clearIdle();
    }

    /** Closes the lookups, and keeps none from now on. */
    void close()
    {
        isClosed = true;
        clearIdle();
    }

    private void clearIdle()
    {
        for (int i = 0; i < CAPACITY; i++)
        {
            final Lookup lookup = takeFrom(place(i));
            if (null != lookup)
            {
                lookup.clearsSeen = clears.get();
                lookup.reader.walk.close();
                if (isClosed)
                {
                    drop(lookup);
                }
                else
                {
                    putBack(lookup, i, 0);
                }
            }
        }
    }

    private Lookup take(final int group, final int own)
    {
        Lookup lookup = null;
        for (int i = 0; i < GROUP_LENGTH && null == lookup; i++)
        {
            lookup = takeFrom(place(group, own + i));
        }
        for (int i = 0; i < CAPACITY && null == lookup && count.get() >= CAPACITY; i++)
        {
            lookup = takeFrom(place(i));
        }
        if (null == lookup)
        {
            lookup = new Lookup(source);
            lookup.clearsSeen = clears.get();
            count.incrementAndGet();
        }

        return lookup;
    }

    /** Places of a group are consecutive; each thread begins at its own place. */
    private static int place(final int group, final int number)
    {
        return place(group + (number & (GROUP_LENGTH - 1)));
    }

    private static int place(final int number)
    {
        return (1 + (number & (CAPACITY - 1))) * STRIDE;
    }

    private Lookup takeFrom(final int place)
    {
        final Lookup lookup = idle.get(place);
        return null != lookup && idle.compareAndSet(place, lookup, null) ? lookup : null;
    }

    private void putBack(final Lookup lookup, final int group, final int own)
    {
        if (lookup.reader.walk.cursor.ownLength() > MAX_KEPT_LENGTH)
        {
            lookup.reader.closeAndShrink();
        }
        for (int i = 0; i < CAPACITY; i++)
        {
            // Tries the places of its group first, then the places of the next groups.
            if (idle.compareAndSet(place(group + i / GROUP_LENGTH * GROUP_LENGTH, own + i), null, lookup))
            {
                return;
            }
        }

        drop(lookup);
    }

    private void drop(final Lookup lookup)
    {
        lookup.reader.close();
        count.decrementAndGet();
    }

    /** A reader, for one thread at a time. */
    private static final class Lookup
    {
        private final Reader reader;
        // Number of calls of clear() when it last held no segment.
        private int clearsSeen;

        private Lookup(final ReadSource source)
        {
            reader = new Reader(source, JournalReader.Limit.WRITTEN, RecordWalk.ALWAYS, null);
            reader.walk.cursor.readAhead(READ_LENGTH);
        }
    }
}
