/**
 * Finds records and walks from one to the next, in the process that writes and in others.
 * What is readable is a ReadSource's business; what may change under a reader is excluded by ReaderGate.
 * Not part of the library's interface.
 */
package io.journal.internal.read;
