// SPDX-License-Identifier: Apache-2.0
/**
 * Finds records, moves from one to the next, and passes them to handlers. Reader is what users hold; ReadSource defines
 * what is readable; ReaderGate keeps files from being recycled under a poll.
 * Not part of the library's interface.
 */
package io.journal.internal.read;
