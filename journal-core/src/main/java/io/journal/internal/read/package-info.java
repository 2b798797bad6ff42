/**
 * Finds records and moves from one to the next, in the process that writes and in others.
 * ReadSource defines what is readable; ReaderGate keeps truncation and closing from changing it under a poll.
 * Not part of the library's interface.
 */
package io.journal.internal.read;
