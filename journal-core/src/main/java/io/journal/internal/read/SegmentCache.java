// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.read;

import java.util.concurrent.atomic.AtomicReferenceArray;

import io.journal.internal.segment.Segment;

/**
 * A bounded number of segments that stay open, and mapped, for the next seek. A segment that is in use is closed by its
 * last user. Thread-safe, without a lock.
 */
final class SegmentCache implements SegmentKeeper
{
    // A power of two, so that as many consecutive segments have different places.
    private static final int CAPACITY = 16;

    private record Kept(Segment segment, long number, boolean isForSeeks)
    {
    }

    private final AtomicReferenceArray<Kept> kept = new AtomicReferenceArray<>(CAPACITY);
    private volatile boolean isClosed;

    /**
     * Returns a segment if it is open, for the caller to close.
     *
     * @param number     number of the current term.
     * @param isForSeek whether only a segment will do that a seek has opened.
     */
    Segment find(final long ordinal, final long number, final boolean isForSeek)
    {
        final Kept known = kept.get(place(ordinal));
        final boolean isFound = null != known && known.number == number && known.segment.ordinal == ordinal &&
            (known.isForSeeks || !isForSeek);
        return isFound && known.segment.retain() ? known.segment : null;
    }

    /**
     * Keeps a segment open that the caller uses, in the place of another one.
     */
    void keep(final Segment segment, final long number, final boolean isForSeeks)
    {
        // Made first: without memory for it, nobody would end the use.
        final Kept next = new Kept(segment, number, isForSeeks);
        if (segment.retain())
        {
            replace(place(segment.ordinal), next);
        }
        // Stored before this is read, and close() does the reverse: one of the two threads sees the other.
        if (isClosed)
        {
            clear();
        }
    }

    @Override
    public void clear()
    {
        for (int i = 0; i < CAPACITY; i++)
        {
            replace(i, null);
        }
    }

    @Override
    public void close()
    {
        isClosed = true;
        clear();
    }

    private void replace(final int place, final Kept next)
    {
        final Kept previous = kept.getAndSet(place, next);
        if (null != previous)
        {
            previous.segment.close();
        }
    }

    private static int place(final long ordinal)
    {
        return (int)ordinal & (CAPACITY - 1);
    }
}
