// SPDX-License-Identifier: Apache-2.0
/**
 * An append-only journal: records are appended, made durable, and read back in order, also after a crash.
 * <p>
 * A parameter or a result may be null only where it has {@code @Nullable}.
 */
@NullMarked
package io.journal;

import org.jspecify.annotations.NullMarked;
