/**
 * One class for each kind of file in a journal's directory: its layout, its checks, how it is written durably.
 * Segments, journal.meta, journal.mark, cursors, snapshots, the lock. FrameCursor alone decides what a valid frame is.
 * Not part of the library's interface.
 */
package io.journal.internal.files;
