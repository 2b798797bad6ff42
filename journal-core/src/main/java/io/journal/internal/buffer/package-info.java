// SPDX-License-Identifier: Apache-2.0
/**
 * Agrona's buffer interfaces over a {@link java.nio.ByteBuffer}, without a JVM flag.
 * Independent of the rest of the journal.
 */
package io.journal.internal.buffer;
