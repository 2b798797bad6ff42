// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;

/**
 * Snapshots of an application's state, kept beside the journal from which it was built, so that a restart need not
 * replay all history and history can be pruned. Created by {@link Journal#snapshots()}.
 * <pre>{@code
 * long sequence = journal.snapshots().load(state::readFrom);    // 0 if there is none
 * reader.seek(sequence + 1);                                    // and apply the records from there on
 * ...
 * journal.snapshots().save(appliedSequence, state::writeTo);
 * journal.snapshots().prune();
 * }</pre>
 * The two newest valid snapshots are kept. A save first makes the journal durable up to the snapshot's sequence, so no
 * snapshot is ever ahead of its journal, even after a loss of power. Each snapshot carries a checksum and identifies
 * its journal and its last record; a snapshot that does not fit the journal causes a {@link CorruptJournalException},
 * whose message names the remedy: restore a journal that is newer than the snapshot, or
 * {@linkplain #discardAfter(long) discard} the snapshots that are ahead of it and with them the records that it has
 * lost. Append nothing before that: new records would take sequences that the snapshot already contains.
 * <p>
 * Thread-safe: concurrent calls wait for each other, while appending and reading continue. {@link Retention} keeps at
 * least what {@link #prune()} keeps, once a snapshot was saved, even if all snapshots were discarded since, because the
 * state must then be built from all records. {@link Journal#prune(long)} drops records whether or not snapshots need
 * them: see {@link #firstNeededSequence()}.
 */
public interface Snapshots
{
    /** Writes an application's state. */
    @FunctionalInterface
    interface Writer
    {
        /**
         * Called once by {@link Snapshots#save}. It must not use the journal's snapshots, nor
         * read or truncate the journal.
         *
         * @param output to write to, of any length. Bytes are written to the file in chunks; it need not be closed.
         * @throws IOException if the output or the state cannot be written: nothing is saved.
         */
        void write(OutputStream output) throws IOException;
    }

    /** Reads an application's state. */
    @FunctionalInterface
    interface Reader
    {
        /**
         * Called at most once by {@link Snapshots#load}. It must not use the journal's snapshots, nor
         * read or truncate the journal. Begin the state with a version number, because an older snapshot is not tried
         * if this one cannot be interpreted.
         *
         * @param input what the writer has written, already verified. It need not be read to its end, nor closed.
         * @throws IOException if the input or the state cannot be read.
         */
        void read(InputStream input) throws IOException;
    }

    /**
     * Saves a snapshot. On return it is durable, as are all records up to its sequence. Of the older snapshots the
     * newest valid one is kept; the others are deleted.
     * <p>
     * If the call fails, the previous snapshots are unchanged, and nothing of the new snapshot remains; only after a
     * failed fsync may it be there, complete. No record is lost: log the failure, and save later, unless
     * {@link JournalCounters#isFailed()}.
     *
     * @param sequence of the last record in the state, which must contain exactly the records up to it; from one less
     *                 than {@link Journal#firstSequence()} to {@link Journal#lastSequence()}. The journal is made
     *                 durable up to it first, immediately under every {@link ForcePolicy}.
     * @param writer   of the state.
     * @throws IllegalArgumentException     if the journal has no such record, or there is a snapshot of a later one.
     * @throws CorruptJournalException      if a snapshot is ahead of the journal.
     * @throws IllegalStateException        if called by a writer or a reader of a snapshot, if records were truncated
     *                                      meanwhile, or if the journal is closed.
     * @throws java.io.UncheckedIOException wrapping the IOException of the writer; its unchecked exceptions are passed
     *                                      on. The journal stays usable.
     * @throws JournalFullException         if there is no space; the same call succeeds once there is.
     * @throws JournalException             if the file cannot be written: the same call may succeed later. Or if an
     *                                      fsync failed, now or before: nothing more is acknowledged, reopen to
     *                                      recover.
     */
    void save(long sequence, Writer writer);

    /**
     * Loads the newest valid snapshot: verifies its checksum, then passes its content to the reader. A corrupt snapshot
     * stays where it is, is reported to {@link JournalBuilder#errorHandler}, and the snapshot before it is loaded.
     * <p>
     * The application must then apply the records from the next sequence on.
     *
     * @param reader of the state; not called if there is no snapshot.
     * @return sequence of the last record in the snapshot; 0 if there is no snapshot: replay from record 1.
     * @throws CorruptJournalException      if a snapshot is ahead of the journal, the newest valid one does not fit it,
     *                                      records after that snapshot are missing, or there is no valid snapshot and
     *                                      the journal no longer begins with record 1. The reader was not called.
     *                                      Append nothing, and follow the message.
     * @throws IllegalStateException        if called by a writer or a reader of a snapshot, or the journal is closed.
     * @throws java.io.UncheckedIOException wrapping the IOException of the reader; its unchecked exceptions are passed
     *                                      on, and the snapshot before is not tried.
     * @throws JournalException             if the snapshot is of a newer format, a file cannot be read, or storage
     *                                      failed before.
     */
    long load(Reader reader);

    /**
     * Drops all segments without a record that the two newest valid snapshots or any cursor need: both snapshots
     * contain these records, and every cursor has passed them. If one snapshot becomes corrupt, the other still has all
     * the records it needs. Nothing is pruned until there are two snapshots.
     * <p>
     * Verifies both snapshots first, and makes their names durable. {@link Journal#prune(long)}, in contrast, drops
     * records whether or not cursors or snapshots need them, and {@link Retention} does not verify the snapshots.
     *
     * @return {@link Journal#firstSequence()} afterwards.
     * @throws CorruptJournalException    if a snapshot is ahead of the journal or does not fit it; nothing was pruned.
     * @throws IllegalStateException      if called by a writer or a reader of a snapshot, or the journal is closed.
     * @throws JournalException           if a snapshot is of a newer format or cannot be read: nothing was pruned. Or
     *                                    as for {@link Journal#prune(long)}.
     */
    long prune();

    /**
     * The first record that {@link Retention} keeps for the snapshots: the first record that the oldest snapshot does
     * not contain, so that it can be loaded if newer snapshots become corrupt. Only the names of the snapshots are
     * read.
     *
     * @return {@link Journal#firstSequence()} or a later one; while there is a single snapshot, or none any more, the
     *         first sequence; {@link Long#MAX_VALUE} if there never was one.
     * @throws IllegalStateException if called by a writer or a reader of a snapshot, or the journal is closed.
     * @throws JournalException      if the directory cannot be read, or storage failed, now or before.
     */
    long firstNeededSequence();

    /**
     * Discards the snapshots that contain records after a sequence: they are renamed so that no call finds them, and
     * are never deleted. On return the renames are durable.
     * <p>
     * If the journal ends before a snapshot, a call with {@link Journal#lastSequence()} accepts that the journal has
     * lost the later records. Before {@link Journal#truncateAfter(long)}, a call with the same sequence permits the
     * truncation.
     * <p>
     * If no snapshot is left, {@link Retention} keeps all records for the replay, until two are saved. If the
     * application no longer uses snapshots, move the directory {@code snapshots} away while the journal is closed.
     *
     * @param sequence of the last record that a snapshot may contain.
     * @return how many snapshots were discarded.
     * @throws IllegalStateException  if called by a writer or a reader of a snapshot, or the journal is closed.
     * @throws JournalException       if storage failed, now or before; some may have been discarded.
     */
    int discardAfter(long sequence);
}
