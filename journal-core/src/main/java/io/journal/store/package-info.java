// SPDX-License-Identifier: Apache-2.0
/**
 * The storage interface of the journal, and the backends that implement it.
 * <p>
 * A parameter or a result may be null only where it has {@code @Nullable}.
 */
@NullMarked
package io.journal.store;

import org.jspecify.annotations.NullMarked;
