// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;

import io.journal.internal.control.History;
import io.journal.internal.segment.Segment;

/**
 * A bounded number of segments that stay open after they were read. A segment that is in use is closed by its last
 * user. Thread-safe, without a lock.
 */
final class SegmentCache
{
    // Limit for all journals of the process. By default Linux gives a process 65,530 mappings.
    private static final int MAX_KEPT = 16 * 1024;
    private static final AtomicInteger KEPT = new AtomicInteger();

    private record Kept(Segment segment, long term)
    {
    }

    private final AtomicReferenceArray<Kept> kept;
    private volatile boolean isClosed;

    /**
     * @param capacity a power of two; that many consecutive segments have different places.
     */
    SegmentCache(final int capacity)
    {
        kept = new AtomicReferenceArray<>(capacity);
    }

    /**
     * Returns a segment if it is open, for the caller to close.
     *
     * @param term the current term.
     */
    Segment find(final long ordinal, final long term)
    {
        final Kept known = kept.get(place(ordinal));
        final boolean isFound = null != known && known.term == term && known.segment.ordinal == ordinal;
        return isFound && known.segment.retain() ? known.segment : null;
    }

    /**
     * Keeps a segment open that the caller uses, instead of another segment, unless the process keeps too many.
     */
    void keep(final Segment segment, final long term)
    {
        if (null == kept.get(place(segment.ordinal)) && KEPT.get() >= MAX_KEPT)
        {
            return;
        }

        // Allocated before retain(): after it, an OutOfMemoryError would leave the segment retained for good.
        final Kept next = new Kept(segment, term);
        if (segment.retain())
        {
            final Kept previous = kept.getAndSet(place(segment.ordinal), next);
            if (null == previous)
            {
                KEPT.incrementAndGet();
            }
            else
            {
                previous.segment.close();
            }
        }
        // The segment is stored before this is read, and close() does the reverse: at least one of the two threads sees
        // the other.
        if (isClosed)
        {
            close();
        }
    }

    /** Closes the segments that may not belong to the log; those in use are closed when their use ends. */
    void clear(final History now)
    {
        for (int i = 0; i < kept.length(); i++)
        {
            final Kept known = kept.get(i);
            if (null != known && !(known.term == now.term && now.startPosition < known.segment.endPosition()))
            {
                drop(i, known);
            }
        }
    }

    /** Closes all segments that are not in use, and keeps none open from now on. */
    void close()
    {
        isClosed = true;
        for (int i = 0; i < kept.length(); i++)
        {
            final Kept known = kept.get(i);
            if (null != known)
            {
                drop(i, known);
            }
        }
    }

    private void drop(final int place, final Kept known)
    {
        if (kept.compareAndSet(place, known, null))
        {
            KEPT.decrementAndGet();
            known.segment.close();
        }
    }

    private int place(final long ordinal)
    {
        return (int)ordinal & (kept.length() - 1);
    }
}
