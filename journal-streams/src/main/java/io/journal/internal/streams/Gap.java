// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import io.journal.Checkpoint;

/** A range that is not indexed, until it is: every position may match. */
record Gap(long first, long last) implements Source
{
    @Override
    public Checkpoint end()
    {
        return new Checkpoint(0, last);
    }

    @Override
    public Postings postings(final long key)
    {
        return new Postings()
        {
            @Override
            int size()
            {
                throw new UnsupportedOperationException();
            }

            @Override
            long at(final int index)
            {
                throw new UnsupportedOperationException();
            }

            @Override
            long next(final long from)
            {
                return from > last ? NONE_AFTER : Math.max(from, first);
            }

            @Override
            long previous(final long upTo)
            {
                return upTo < first ? NONE_BEFORE : Math.min(upTo, last);
            }
        };
    }
}
