// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import org.jspecify.annotations.Nullable;

/**
 * Snapshots of parts of an application's state, each under a key, such as that of its stream: files beside the journal
 * that save a replay. They are no events: each can be deleted, and backups leave them out. Thread-safe.
 */
public interface KeyedSnapshots
{
    /**
     * A snapshot.
     *
     * @param position up to which the state contains the events.
     * @param state    as it was saved; the array is not copied.
     */
    record Snapshot(long position, byte[] state)
    {
    }

    /**
     * Saves a snapshot in the place of the previous one of its key. On return it is durable, as are all events up to
     * its position. A crash leaves the previous or the new one.
     *
     * @param key      1 to {@link Event#MAX_NAME_LENGTH} characters.
     * @param position up to which the state contains the events, from 1 to the newest event's.
     * @param state    of any length.
     * @throws IllegalArgumentException    if there is no such event.
     * @throws io.journal.JournalException if the file cannot be written; the previous snapshot is unchanged.
     */
    void save(String key, long position, byte[] state);

    /**
     * {@return a snapshot; null if there is none} One that is damaged, or contains events that were truncated, counts
     * as none, and is reported to the error handler.
     *
     * @param key of the snapshot.
     * @throws io.journal.JournalException if the file cannot be read.
     */
    @Nullable
    Snapshot load(String key);

    /**
     * Deletes a snapshot, if there is one.
     *
     * @param key of the snapshot.
     */
    void delete(String key);
}
