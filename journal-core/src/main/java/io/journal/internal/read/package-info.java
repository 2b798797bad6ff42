/**
 * Finds records, moves from one to the next, and passes them to handlers.
 * ReadSource defines what is readable; ReaderGate keeps truncation and closing from changing it under a poll.
 * Not part of the library's interface.
 */
package io.journal.internal.read;
