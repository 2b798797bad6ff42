/**
 * Agrona's buffer interfaces over a {@link java.nio.ByteBuffer}, without a JVM flag.
 * It knows nothing of journals.
 * Not part of the library's interface.
 */
package io.journal.internal.buffer;
