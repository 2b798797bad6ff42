/**
 * One class for each kind of file in a journal's directory but the segments: its layout, its validation, how it is
 * written durably. journal.meta, journal.mark, cursors, the lock. Slots alone defines how two slots are written in
 * turn.
 * Not part of the public API.
 */
package io.journal.internal.files;
