// SPDX-License-Identifier: Apache-2.0
/**
 * Storage engines for the event store of Axon Framework 5, on {@link io.journal.streams.EventStreams}. Start with
 * {@link io.journal.axon.JournalEventStorageEngine}.
 */
@NullMarked
package io.journal.axon;

import org.jspecify.annotations.NullMarked;
