// SPDX-License-Identifier: Apache-2.0
/**
 * The event store: records of events, the index, reads, appends.
 * <p>
 * The index is a list of sources, each of which covers a range of positions; together they cover all, without gaps, and
 * end with the tail in memory. A source answers at which positions an event <em>may</em> have a type, tag or id, by
 * hash. Every position is then confirmed by reading the record, so a wrong candidate costs time and changes no answer;
 * a missing one must not be. A range without an index is a {@link io.journal.internal.streams.Gap}, in which every
 * position is a candidate.
 */
@NullMarked
package io.journal.internal.streams;

import org.jspecify.annotations.NullMarked;
