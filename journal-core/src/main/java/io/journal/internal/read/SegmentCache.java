// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.concurrent.atomic.AtomicReferenceArray;

import io.journal.internal.control.History;
import io.journal.internal.segment.Segment;

/**
 * A bounded number of segments that stay open after they were read. A segment that is in use is closed by its last
 * user. Thread-safe, without a lock.
 */
final class SegmentCache implements SegmentKeeper
{
    private record Kept(Segment segment, long number)
    {
    }

    private final AtomicReferenceArray<Kept> kept;
    private volatile boolean isClosed;

    /**
     * @param capacity a power of two, so that as many consecutive segments have different places.
     */
    SegmentCache(final int capacity)
    {
        kept = new AtomicReferenceArray<>(capacity);
    }

    /**
     * Returns a segment if it is open, for the caller to close.
     *
     * @param number number of the current term.
     */
    Segment find(final long ordinal, final long number)
    {
        final Kept known = kept.get(place(ordinal));
        final boolean isFound = null != known && known.number == number && known.segment.ordinal == ordinal;
        return isFound && known.segment.retain() ? known.segment : null;
    }

    /**
     * Keeps a segment open that the caller uses, in the place of another one.
     */
    void keep(final Segment segment, final long number)
    {
        // Made first: without memory for it, nobody would end the use.
        final Kept next = new Kept(segment, number);
        if (segment.retain())
        {
            final Kept previous = kept.getAndSet(place(segment.ordinal), next);
            if (null != previous)
            {
                previous.segment.close();
            }
        }
        // Stored before this is read, and close() does the reverse: one of the two threads sees the other.
        if (isClosed)
        {
            close();
        }
    }

    @Override
    public void clear(final History now)
    {
        for (int i = 0; i < kept.length(); i++)
        {
            final Kept known = kept.get(i);
            if (null != known && !(known.number == now.number && now.startPosition < known.segment.endPosition()))
            {
                drop(i, known);
            }
        }
    }

    @Override
    public void close()
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
            known.segment.close();
        }
    }

    private int place(final long ordinal)
    {
        return (int)ordinal & (kept.length() - 1);
    }
}
