/**
 * Changes of history: pruning, retention, truncation, cursors, snapshots, backups.
 * One such change is made at a time.
 * Not part of the library's interface.
 */
package io.journal.internal.manage;
