// SPDX-License-Identifier: Apache-2.0
/**
 * An event store on a journal: events with tags, queries, appends under conditions, streams by key and subscriptions.
 * Begin with {@link io.journal.streams.EventStreams}.
 */
@NullMarked
package io.journal.streams;

import org.jspecify.annotations.NullMarked;
