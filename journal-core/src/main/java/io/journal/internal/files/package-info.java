/**
 * One class for each kind of file in a journal's directory: its layout, its validation, how it is written durably.
 * Segments, journal.meta, journal.mark, cursors, the lock. FrameCursor alone defines what a valid frame is,
 * Slots how two slots are written in turn.
 * Not part of the public API.
 */
package io.journal.internal.files;
