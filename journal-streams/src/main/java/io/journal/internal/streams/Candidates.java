// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.List;

/** Positions at which an event may match, found in either direction. For one thread. */
interface Candidates
{
    /** Every position. */
    Candidates ALL = new Candidates()
    {
        @Override
        public long next(final long from)
        {
            return from;
        }

        @Override
        public long previous(final long upTo)
        {
            return upTo;
        }
    };

    /** The first candidate from a position on, or {@link Postings#NONE_AFTER}. */
    long next(long from);

    /** The last candidate up to a position, or {@link Postings#NONE_BEFORE}. */
    long previous(long upTo);

    /** Candidates of any. */
    static Candidates union(final List<Candidates> all)
    {
        return 1 == all.size() ? all.get(0) : new Candidates()
        {
            @Override
            public long next(final long from)
            {
                long lowest = Postings.NONE_AFTER;
                for (final Candidates each : all)
                {
                    lowest = Math.min(lowest, each.next(from));
                }
                return lowest;
            }

            @Override
            public long previous(final long upTo)
            {
                long highest = Postings.NONE_BEFORE;
                for (final Candidates each : all)
                {
                    highest = Math.max(highest, each.previous(upTo));
                }
                return highest;
            }
        };
    }

    /** Candidates of all: each moves to where the others are, until none has to. */
    static Candidates intersection(final List<Candidates> all)
    {
        return 1 == all.size() ? all.get(0) : new Candidates()
        {
            @Override
            public long next(final long from)
            {
                long position = from;
                for (int i = 0, agreed = 0; agreed < all.size(); i = (i + 1) % all.size())
                {
                    final long found = all.get(i).next(position);
                    if (Postings.NONE_AFTER == found)
                    {
                        return found;
                    }
                    agreed = found == position ? agreed + 1 : 1;
                    position = found;
                }
                return position;
            }

            @Override
            public long previous(final long upTo)
            {
                long position = upTo;
                for (int i = 0, agreed = 0; agreed < all.size(); i = (i + 1) % all.size())
                {
                    final long found = all.get(i).previous(position);
                    if (Postings.NONE_BEFORE == found)
                    {
                        return found;
                    }
                    agreed = found == position ? agreed + 1 : 1;
                    position = found;
                }
                return position;
            }
        };
    }
}
