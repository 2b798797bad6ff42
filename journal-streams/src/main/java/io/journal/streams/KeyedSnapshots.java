// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import io.journal.Snapshots;

/**
 * Snapshots of parts of an application's state, each under a key, such as that of its stream: files beside the journal
 * that save a replay. They are no events: each can be deleted, and backups leave them out. Thread-safe.
 */
public interface KeyedSnapshots
{
    /**
     * Saves a snapshot in the place of the previous one of its key. On return it is durable, as are all events up to
     * its position. A crash leaves the previous or the new one.
     *
     * @param key      1 to {@link Event#MAX_NAME_LENGTH} characters.
     * @param position up to which the state contains the events, from 1 to the newest event's.
     * @param writer   of the state.
     * @throws IllegalArgumentException     if there is no such event.
     * @throws java.io.UncheckedIOException wrapping the IOException of the writer; nothing was saved.
     * @throws io.journal.JournalException  if the file cannot be written; the previous snapshot is unchanged.
     */
    void save(String key, long position, Snapshots.Writer writer);

    /**
     * Loads a snapshot. One that is damaged, or contains events that were truncated, counts as absent, and is reported
     * to the error handler.
     *
     * @param key    of the snapshot.
     * @param reader of the state; not called if there is no snapshot.
     * @return the position up to which the state contains the events; 0 if there is no snapshot.
     * @throws java.io.UncheckedIOException wrapping the IOException of the reader.
     * @throws io.journal.JournalException  if the file cannot be read.
     */
    long load(String key, Snapshots.Reader reader);

    /**
     * Deletes a snapshot, if there is one.
     *
     * @param key of the snapshot.
     */
    void delete(String key);
}
