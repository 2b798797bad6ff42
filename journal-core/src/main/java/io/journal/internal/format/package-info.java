/**
 * Bytes of the journal's files, without I/O: frames, blocks, segment headers, and arithmetic of positions.
 * A change of the format starts here, and in docs/format.md.
 * Not part of the library's interface.
 */
package io.journal.internal.format;
