// SPDX-License-Identifier: Apache-2.0
package io.journal;

/**
 * A consumer's named position, kept beside the journal across restarts: see {@link Journal#cursor(String)}.
 * {@link Journal#openReader(JournalCursor)} continues there, and {@link JournalReader#commit()} saves it. A consumer in
 * another process keeps a {@link Checkpoint} instead. If retention is to wait for the consumer, it makes the checkpoint
 * durable, then reports its sequence to the writing process, in a file or through a socket; the writing process calls
 * {@link #save}.
 * <p>
 * A saved position is durable, and never beyond the durable records: a consumer that resumes from its cursor may see
 * records again that it handled after its last save, but misses none (at-least-once). Thread-safe.
 */
public interface JournalCursor
{
    /**
     * A cursor as it was saved last, as seen without opening the journal for writing: see
     * {@link ReadOnlyJournal#cursors()}.
     *
     * @param name     of the cursor.
     * @param sequence of the last record that its consumer has processed.
     * @param lag      how many records the consumer is behind.
     */
    record Saved(String name, long sequence, long lag)
    {
    }

    /** {@return the cursor's name} */
    String name();

    /**
     * {@return the sequence of the last record that its consumer has processed, as saved; for a new cursor one less
     * than the sequence of the journal's oldest record} Resume with the next sequence. If that was pruned meanwhile,
     * {@link Journal#firstSequence()} is the next available one.
     */
    long sequence();

    /**
     * Saves the last record that the consumer has processed. On return it is durable.
     * <p>
     * A record that is not durable yet is forced first, immediately under every {@link ForcePolicy}. A sequence lower
     * than the saved one moves the cursor back.
     *
     * @param sequence of the record; one less than {@link Journal#firstSequence()} to start with the oldest.
     * @throws IllegalArgumentException if it is lower than that, or higher than {@link Journal#lastSequence()}; the
     *                                  cursor is unchanged.
     * @throws IllegalStateException    if the journal is closed, the cursor was deleted, or the record truncated
     *                                  meanwhile.
     * @throws JournalException         if storage failed, now or before: nothing more is acknowledged, reopen to
     *                                  recover. The cursor is then at its previous position, or at the sequence.
     */
    void save(long sequence);

    /**
     * {@return how many records the consumer is behind} Counts the records between the cursor, or the journal's
     * beginning if that is later, and {@link Journal#lastSequence()}.
     */
    long lag();

    /**
     * Deletes the cursor; it no longer holds back retention. Idempotent. On return the deletion is durable.
     *
     * @throws IllegalStateException if the journal is closed.
     * @throws JournalException      if storage failed, now or before.
     */
    void delete();
}
