// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.util.Objects;

/**
 * The condition of an append that no event after a position matches a query.
 *
 * @param failIfMatch what must not have happened.
 * @param after       the position up to which the caller knows the events that match: what {@link EventReader#read}
 *                    returned for the same query; 0 if there must be no such event at all.
 */
public record Condition(Query failIfMatch, long after)
{
    /**
     * A condition.
     *
     * @param failIfMatch what must not have happened.
     * @param after       the position up to which the caller knows the events that match.
     * @throws IllegalArgumentException if the position is negative.
     */
    public Condition
    {
        Objects.requireNonNull(failIfMatch, "failIfMatch");
        if (after < 0)
        {
            throw new IllegalArgumentException("negative position: after=" + after);
        }
    }
}
