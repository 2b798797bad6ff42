/**
 * The newest end: composing frames, rolling from segment to segment, fsync and who waits for it, the background agent.
 * The locks are those of windows and of forcing.
 * Not part of the library's interface.
 */
package io.journal.internal.write;
