// SPDX-License-Identifier: Apache-2.0
/**
 * Plugins of Pekko Persistence: {@link io.journal.pekko.JournalWriter}, {@link io.journal.pekko.JournalSnapshots} and
 * {@link io.journal.pekko.JournalQueries}. They are named in the configuration; {@code reference.conf} lists it.
 */
@NullMarked
package io.journal.pekko;

import org.jspecify.annotations.NullMarked;
