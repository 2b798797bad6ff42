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
    public Candidates candidates(final long key)
    {
        return (from, isForward) -> isForward ?
            from > last ? Candidates.NONE : Math.max(from, first) :
            from < first ? Candidates.NONE : Math.min(from, last);
    }
}
