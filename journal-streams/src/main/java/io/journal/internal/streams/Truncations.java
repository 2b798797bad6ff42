// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import org.jspecify.annotations.Nullable;

/** Truncations since something began. They are a chain, of which each is kept only by what began before it. */
final class Truncations
{
    /** When something began. */
    static final class Mark
    {
        private volatile long last = Long.MAX_VALUE;
        private volatile @Nullable Mark next;

        /** Whether an event was truncated since; another one may have its position. */
        boolean isGone(final long position)
        {
            Mark mark = this;
            while (null != mark && mark.last >= position)
            {
                mark = mark.next;
            }

            return null != mark;
        }
    }

    private volatile Mark newest = new Mark();

    Mark mark()
    {
        return newest;
    }

    /** Called before anything is appended again, by one thread at a time. */
    void add(final long last)
    {
        final Mark ended = newest;
        final Mark begun = new Mark();
        ended.next = begun;
        ended.last = last;
        newest = begun;
    }
}
