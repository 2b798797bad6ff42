// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.nio.file.Path;
import java.util.List;

/**
 * A journal open for reading only, while its writer, if there is one, runs in another process or in this one.
 * <p>
 * It takes no lock and writes nothing, so any number of processes may open the same journal at any time: while a writer
 * of any backend appends, rolls, prunes or truncates, after that writer has ended, and when another writer takes over.
 * Its readers follow the end of the written records, which is found by validating frames: a record is there once its
 * frame is valid. Bytes that a crashed writer left after its last complete record are not seen. The journal's directory
 * must not be replaced meanwhile.
 * <p>
 * Opening reads only the records above the durable watermark, not the history; memory use does not grow with the
 * journal. Thread-safe. Operations are not interruptible; the interrupt status is preserved.
 */
public interface ReadOnlyJournal extends ReadableJournal
{
    /**
     * The oldest record.
     *
     * @return its sequence; the next sequence while there is no record.
     * @throws JournalException if it cannot be determined.
     */
    long firstSequence();

    /**
     * The newest written record, found by reading from the last known end on.
     *
     * @return its sequence; one less than {@link #firstSequence()} while there is none; 0 once this object is closed.
     * @throws CorruptJournalException if durable data is damaged.
     * @throws JournalException        if it cannot be determined.
     */
    long lastSequence();

    /**
     * The newest durable record, as recorded by the writer. There is none while it is unknown: if the watermark is lost
     * and no writer has opened the journal since.
     *
     * @return its sequence; one less than {@link #firstSequence()} if there is none, or this object is closed.
     * @throws JournalException if it cannot be determined.
     */
    long forcedSequence();

    /**
     * The cursors of the journal's consumers, as saved last.
     *
     * @return all cursors, by name, at the time of the call.
     * @throws JournalException      if they cannot be read.
     * @throws IllegalStateException if this journal is closed.
     */
    List<JournalCursor.Saved> cursors();

    /**
     * Copies the journal to another directory, where it can be opened with any backend, while its writer, if there is
     * one, continues. The copy holds all records that were durable before the call, and the cursors and snapshots, as
     * with {@link Journal#backup}. Each record is verified while it is copied. On return the copy is durable.
     * <p>
     * If the journal is truncated meanwhile, or pruned faster than it is copied, the copy is made again. A writer that
     * never forces has nothing durable to be copied.
     *
     * @param target directory of the copy, which must not exist; its parent must.
     * @return sequence of the last record in the copy.
     * @throws IllegalArgumentException if the target exists or lies within this journal.
     * @throws JournalLockedException   if another backup to the target is in progress.
     * @throws CorruptJournalException  if a record is damaged.
     * @throws JournalFullException     if there is no space for the copy.
     * @throws JournalException         if the journal cannot be read, or the copy cannot be written, if it is not known
     *                                  what is durable, or if the journal was truncated, or pruned faster than it was
     *                                  copied, during each of several attempts.
     * @throws IllegalStateException    if this journal is closed. Whatever is thrown, nothing of the copy remains.
     */
    long backup(Path target);

    /**
     * Releases the files. Idempotent. From then on readers find nothing, and stay open until they are closed. Does not
     * wait for a call of a reader that is in progress in another thread or calls this from its handler: such a call may
     * still pass records that it has found, and the last call to end releases the files.
     */
    @Override
    void close();
}
