// SPDX-License-Identifier: Apache-2.0
/**
 * The byte layout of the journal's files, without I/O: frames, blocks, segment headers, and position arithmetic.
 * A change of the format starts here, and in docs/format.md.
 */
package io.journal.internal.format;
