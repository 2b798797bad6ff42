// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.nio.file.Path;

/**
 * Methods common to a journal open for writing and a journal open for reading only.
 */
interface ReadableJournal extends AutoCloseable
{
    /**
     * {@return a reader of all written records, at the first record} For one thread at a time; the caller must close
     * it. With the mapped backend, up to 16 segments that readers have passed stay mapped in the process that writes,
     * so that reading them again is faster; until they are dropped, or this journal is closed.
     *
     * @throws CorruptJournalException if the first segment is damaged or missing.
     * @throws JournalException        if it cannot be read, or storage failed before. Readers that are open, and
     *                                 {@link #get(long, RecordHandler)}, continue then, up to the last written record.
     * @throws IllegalStateException   if this journal is closed.
     */
    default JournalReader openReader()
    {
        return openReader(JournalReader.Limit.WRITTEN);
    }

    /**
     * {@return a reader at the first record} Its state becomes {@link JournalReader.State#CLOSED} when this object is
     * closed; it does not when the writer of a {@link ReadOnlyJournal} closes the journal, since another writer may
     * follow. Exceptions are those of {@link #openReader()}.
     *
     * @param limit how far it may read.
     */
    JournalReader openReader(JournalReader.Limit limit);

    /**
     * {@return a reader of the durable records after a checkpoint} A power loss of the writer takes back neither them
     * nor the checkpoints that the reader returns.
     * <p>
     * The reader passes no record, and its state is {@link JournalReader.State#PRUNED} if records after the checkpoint
     * were pruned, and {@link JournalReader.State#TRUNCATED} if its record is not in this journal: it was truncated,
     * also while no reader was open, or the journal was replaced by an older copy of itself or by another journal. The
     * consumer decides how to handle its effects of records that are gone. A seek positions the reader again.
     *
     * @param checkpoint that a reader of this journal, open or not, has returned; {@link Checkpoint#START} for the
     *                   first record that was ever appended: a new consumer of a journal that may have been pruned
     *                   opens a reader without a checkpoint, with {@link JournalReader.Limit#FORCED}.
     * @throws CorruptJournalException if a segment is damaged or missing.
     * @throws JournalException        if the journal cannot be read, storage failed before, or the record is not known
     *                                 to be durable, as after a checkpoint of a reader of written records: try again
     *                                 once it is.
     * @throws IllegalStateException   if this journal is closed.
     */
    default JournalReader openReader(final Checkpoint checkpoint)
    {
        return openReader(checkpoint, JournalReader.Limit.FORCED);
    }

    /**
     * {@return a reader after a checkpoint, as with {@link #openReader(Checkpoint)}}
     *
     * @param checkpoint of this journal.
     * @param limit      how far it may read. With {@link JournalReader.Limit#WRITTEN}, a power loss of the writer can
     *                   take back records that the consumer has processed, and the next reader for its checkpoint
     *                   reports {@link JournalReader.State#TRUNCATED}: only for a consumer that can undo its work.
     */
    JournalReader openReader(Checkpoint checkpoint, JournalReader.Limit limit);

    /**
     * Passes one record to a handler, by its sequence. Any number of threads may call this; it opens no reader, keeps
     * up to 48 segments open for later calls, which then allocate nothing. Only this record's checksum is verified:
     * damage to other records, or to other segments, does not matter.
     *
     * @param sequence of the record; it need not be durable.
     * @param handler  called with the record; it must neither truncate the journal nor close a {@link ReadOnlyJournal}.
     * @return false if there is no such record: it was pruned or truncated, or is not there yet.
     * @throws CorruptJournalException if the record is damaged, or its segment is damaged or missing.
     * @throws JournalException        if it cannot be read.
     * @throws IllegalStateException   if this journal is closed.
     */
    default boolean get(final long sequence, final RecordHandler handler)
    {
        return get(sequence, 1, handler) > 0;
    }

    /**
     * Passes consecutive records to a handler, as {@link #get(long, RecordHandler)} does with a single record.
     *
     * @param first   sequence of the first record.
     * @param limit   maximum number of records, 0 or more.
     * @param handler called once per record; if it throws, the call ends.
     * @return number of records passed: fewer than the limit at the end of the journal, or if they are pruned or
     *         truncated meanwhile; 0 if the first record does not exist.
     */
    int get(long first, int limit, RecordHandler handler);

    /** {@return the journal's directory, as it was given} */
    Path path();

    @Override
    void close();
}
