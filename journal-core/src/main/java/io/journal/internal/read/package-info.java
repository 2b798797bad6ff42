// SPDX-License-Identifier: Apache-2.0
/**
 * Finds records, moves from one to the next, and passes them to handlers. Users hold a Reader; ReadSource defines how
 * far it may read; ReaderGate keeps files from being recycled under a poll. Not part of the library's interface.
 */
package io.journal.internal.read;
