// SPDX-License-Identifier: Apache-2.0
package io.journal;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Reads records in order, forwards or backwards, and tails the journal. A reader is positioned between two records.
 * Each reader is used by one thread at a time; any number of readers may be open. Every record's checksum is verified
 * before the record is passed to a handler, unless {@link JournalBuilder#verification} says otherwise. No polling call
 * allocates per record.
 * <p>
 * To tail the journal, wait and poll; a reader opened for a {@link JournalCursor} also saves how far it came:
 * <pre>{@code
 * while (reader.state() != JournalReader.State.CLOSED && !Thread.currentThread().isInterrupted())
 * {
 *     if (reader.await(Duration.ofSeconds(1)))
 *     {
 *         reader.poll(handler, 64);
 *         reader.commit();
 *     }
 * }
 * }</pre>
 * A reader of a {@link ReadOnlyJournal} follows one writer after another. A reader of a {@link Journal} continues after
 * the journal was closed, up to the last appended record. Close it before the journal is opened again: it does not
 * learn what the new writer truncates, prunes or recycles, and may report corruption, or pass new records in the place
 * of truncated ones. If the records at the position of a reader are pruned or truncated, {@link #state()} reports it,
 * and polling throws {@link JournalException} until a seek repositions the reader.
 */
public interface JournalReader extends AutoCloseable
{
    /** How far a reader may read. */
    enum Limit
    {
        /** Up to the last written record: it survives a crash of the writer, but may be lost in a power loss. */
        WRITTEN,
        /** Up to the durable watermark: records read can no longer be lost. */
        FORCED
    }

    /** How often readers verify the checksum of a record: see {@link JournalBuilder#verification}. */
    enum Verification
    {
        /** Each time it is read. */
        ALWAYS,
        /**
         * Until a reader has passed all records of its segment. Later readers of this process do not verify them again:
         * corruption of the device after that goes unnoticed until the journal is reopened.
         */
        ONCE,
        /**
         * Readers verify no records. Control frames, the order of sequences, records that
         * {@link Journal#get Journal.get} passes, and the journal's end on opening are still verified.
         */
        NEVER
    }

    /** What a reader can do now. */
    enum State
    {
        /**
         * It can continue to read, now or as soon as there are more records; after a failed seek, once the next seek
         * succeeds.
         */
        FOLLOWING,
        /** The records it would read next were pruned. It passes no records until a seek repositions it. */
        PRUNED,
        /**
         * Records before its position were truncated, or may have been, because segments with a truncation since it
         * last read were pruned; or it was opened for a cursor or a {@link Checkpoint} whose record is not part of this
         * history: it was truncated before, or the directory was rolled back, or is another journal. This reader, or an
         * earlier one, may have passed these records already. It passes no records until a seek repositions it.
         */
        TRUNCATED,
        /** The journal, or the reader itself, was closed, and there is nothing left to read. */
        CLOSED
    }

    /**
     * A record copied out of a journal. A convenience: handlers receive records without a copy.
     *
     * @param sequence the record's address.
     * @param tag      the user's value stored with it.
     * @param bytes    the record; the array is not copied again.
     */
    record Entry(long sequence, long tag, byte[] bytes)
    {
        @Override
        public boolean equals(final @Nullable Object other)
        {
            return other instanceof Entry && sequence == ((Entry)other).sequence &&
                tag == ((Entry)other).tag && Arrays.equals(bytes, ((Entry)other).bytes);
        }

        @Override
        public int hashCode()
        {
            return 31 * (31 * Long.hashCode(sequence) + Long.hashCode(tag)) + Arrays.hashCode(bytes);
        }

        @Override
        public String toString()
        {
            return "Entry{sequence=" + sequence + ", tag=" + tag + ", length=" + bytes.length + '}';
        }
    }

    /**
     * Passes the next records to a handler, as far as there are any.
     * <p>
     * If the handler throws, the reader stays at that record; the records before it count as read.
     *
     * @param handler called once per record; it must not use this reader, truncate or prune. It may save a snapshot.
     * @param limit   maximum number of records, 0 or more.
     * @return number of records passed. 0, with a limit above 0, means that there is no record now.
     * @throws IllegalArgumentException   if the limit is negative.
     * @throws JournalException           if the next records were pruned, or records before them truncated; the reader
     *                                    stays there until a seek repositions it.
     * @throws CorruptJournalException    if a record is damaged; the reader stays there. Its
     *                                    {@link JournalException#sequence()} is that of the record.
     * @throws JournalException           if there is a frame that this version must not skip; the reader stays there.
     * @throws JournalException           if the files cannot be read; the reader stays where it was.
     * @throws IllegalStateException      if the reader is closed or in use, by its handler or another thread, or the
     *                                    last seek failed.
     */
    int poll(RecordHandler handler, int limit);

    /**
     * Passes the next records to a handler, as {@link #poll} does, until the handler stops it.
     * <p>
     * If the handler throws, the reader stays at that record; the records before it count as read, whatever action was
     * returned for them.
     *
     * @param handler called once per record, returns how to continue; it must not use this reader, truncate or prune.
     * @param limit   maximum number of records, 0 or more.
     * @return number of records passed, without an aborted one. Exceptions are those of {@link #poll}.
     */
    int controlledPoll(RecordHandler.Controlled handler, int limit);

    /**
     * Passes the records before the reader's position to a handler, newest first, down to the first. Afterwards the
     * reader is positioned before the last record it passed: {@link #poll} would pass that record again.
     * <p>
     * If the handler throws, the reader stays after that record. Each record is looked up by its sequence, as
     * {@link Journal#get Journal.get} does, so damage to others does not matter.
     *
     * @param handler called once per record; it must not use this reader, truncate or prune.
     * @param limit   maximum number of records, 0 or more.
     * @return number of records passed; exceptions are those of {@link #poll}.
     */
    int pollBackwards(RecordHandler handler, int limit);

    /**
     * Waits until there is a record to read, which {@link #poll} then passes. A reader of a {@link Journal} that has
     * waited for some milliseconds, in this call and earlier calls, is woken by the record: the append after a pause
     * pays for waking one thread. A reader of a {@link ReadOnlyJournal} looks again at intervals, which grow with the
     * time without a record, from some microseconds to 50 milliseconds.
     * <p>
     * Ends early if the thread is interrupted, with the interrupt status preserved, and if the journal is closed, since
     * no record will follow. The timeout limits the waiting, not a read or write of a file that looking takes. For less
     * delay, poll with an {@link org.agrona.concurrent.IdleStrategy}.
     *
     * @param timeout 0 or more.
     * @return whether there is a record to read. Exceptions are those of {@link #poll}.
     */
    boolean await(Duration timeout);

    /**
     * Saves the cursor that this reader was opened for at the last record before the reader's position. On return it is
     * durable: a reader opened for the cursor later, also after a crash, continues after that record.
     *
     * @throws IllegalStateException if the reader was not opened for a cursor, is closed, or is in use by its handler.
     * @throws JournalException      if the records at the position were pruned, or records before it truncated; nothing
     *                               was saved. Further exceptions are those of {@link JournalCursor#save}.
     */
    void commit();

    /**
     * The last record before the reader's position, for a consumer that keeps its position where its effect is. Store
     * it together with the effect of the records up to it: {@link Journal#openReader(Checkpoint) openReader} of
     * {@link Journal} and {@link ReadOnlyJournal} continues after it.
     * <p>
     * The record is as durable as those that the reader passes: only with {@link Limit#FORCED} can no power loss of the
     * writer take it back. Reads at most some watermark frames, and nothing if this process has appended the record.
     *
     * @return the checkpoint; {@link Checkpoint#START} before the first record that was ever appended.
     * @throws CorruptJournalException if the watermark frames before the record are damaged.
     * @throws JournalException        if the records at the position were pruned, or records before it truncated, or
     *                                 the files cannot be read.
     * @throws IllegalStateException   if the reader is closed or in use, by its handler or another thread, or the last
     *                                 seek failed, or a {@link ReadOnlyJournal} is closed.
     */
    Checkpoint checkpoint();

    /**
     * Streams copies of the records from the reader's position to the current last record. The reader advances as the
     * stream is consumed, and must not be used otherwise meanwhile; an exception thrown in the stream leaves it at that
     * record. Ends earlier if records before its end are truncated. A convenience: each record is copied.
     *
     * @return a sequential, finite stream; it needs no closing. Its exceptions are those of {@link #poll}, and the
     *         exception below, after which another stream continues where the reader is.
     * @throws JournalException if it is not known what is durable, for a {@link ReadOnlyJournal}'s reader with
     *                          {@link Limit#FORCED}; try again.
     */
    Stream<Entry> stream();

    /**
     * Positions the reader at a record.
     *
     * @param sequence of the record to read next, from {@link Journal#firstSequence()} to one more than
     *                 {@link Journal#lastSequence()}.
     * @throws IllegalArgumentException if the journal has no such record; the reader stays where it was. If the record
     *                                  is pruned or truncated during the call, {@link #state()} reports that instead.
     * @throws JournalException         if the files cannot be read, or no record near this one can be found in them;
     *                                  the reader has no position until a seek succeeds. A damaged record is reported
     *                                  when it is read.
     * @throws JournalException         if it is not known what is durable, for a {@link ReadOnlyJournal}'s reader with
     *                                  {@link Limit#FORCED}; the reader stays where it was, or has no position if that
     *                                  became unknown during the call: try again.
     * @throws IllegalStateException    if the reader is closed.
     */
    void seek(long sequence);

    /** Positions the reader at the first record. Exceptions are those of {@link #seek}. */
    void seekToStart();

    /**
     * Positions the reader after the last record, so that it reads only records appended from now on. Reads some
     * records before the end, at most those of one segment, and verifies them as {@link #poll} does.
     *
     * @throws CorruptJournalException if such a record is damaged; the reader has no position until a seek succeeds.
     *                                 Further exceptions are those of {@link #seek}.
     */
    void seekToEnd();

    /**
     * Positions the reader at the first record after the last watermark frame that is earlier than an instant; at the
     * first record if there is no such frame. From there the reader passes every record appended at or after the
     * instant, preceded by records appended shortly before it. Readers see no time of a record: an application that
     * needs the first record at or after the instant puts a time into its records, for example as the tag.
     * <p>
     * The writer timestamps watermark frames with its clock. It writes a watermark frame at the beginning of each
     * segment and after every 64 KiB, and more on forces. If the clock was set back meanwhile, it passed the instant
     * more than once, and the reader goes to one of these places; segments dated later than the newest segment do not
     * count. Reads some records, at most those of one segment, and verifies them as {@link #poll} does.
     *
     * @param instant to seek, with millisecond precision.
     * @throws CorruptJournalException if such a record is damaged; the reader has no position until a seek succeeds.
     *                                 Further exceptions are those of {@link #seek}.
     */
    void seekToTime(Instant instant);

    /**
     * {@return the sequence of the record that {@link #poll} passes next} May be called by any thread: other threads
     * see the position after the last completed call that moved the reader, or after the last
     * {@link RecordHandler.Action#COMMIT} of the current call.
     */
    long nextSequence();

    /**
     * Current state of this reader.
     *
     * @return the state; once it is {@link State#CLOSED}, polling finds nothing any more.
     * @throws JournalException if it cannot be determined.
     */
    State state();

    /** Releases the reader's files and memory. Idempotent. */
    @Override
    void close();
}
