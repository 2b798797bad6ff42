// SPDX-License-Identifier: Apache-2.0
package io.journal;

import io.journal.internal.Follower;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.LongConsumer;

import io.journal.store.Backend;
import org.agrona.concurrent.Agent;

/**
 * An append-only journal in a directory, open for writing.
 * <p>
 * One thread appends records through {@link #appender()}, several through {@link #sharedAppender()}; any number of
 * {@link JournalReader}s read them. Each record has a <em>sequence</em>: its address, a number counted from 1 without
 * gaps. A journal has three ends. <em>Appended</em>: accepted from the caller. <em>Written</em>: with the operating
 * system, so it survives a crash of this process. <em>Durable</em>: on the device, so it survives a loss of power. To
 * force is to fsync; {@code forced} in the name of a method means durable.
 * <p>
 * Thread-safe, except for the exclusive appender. Operations are not interruptible; the interrupt status is preserved.
 * Methods that change or force the journal throw {@link IllegalStateException} once it is closed: see
 * {@link #isClosed()}.
 */
public interface Journal extends ReadableJournal
{
    /**
     * {@return a journal opened with default settings} See {@link JournalBuilder#open()}.
     *
     * @param path directory of the journal.
     */
    static Journal open(final Path path)
    {
        return builder(path).open();
    }

    /**
     * {@return a journal opened for reading only, which another process may be writing} The caller must close it.
     *
     * @param path directory of the journal.
     * @throws IllegalArgumentException if the path exists and is not a directory.
     * @throws JournalNotFoundException if there is no journal yet: try again once its writer has created it.
     * @throws CorruptJournalException  if durable data is damaged or missing.
     * @throws JournalException         if the files cannot be read, or are of a newer format.
     */
    static ReadOnlyJournal openReadOnly(final Path path)
    {
        return Follower.open(path, Backend.FILE_CHANNEL.store(path));
    }

    /**
     * {@return a builder with default settings}
     *
     * @param path directory of the journal.
     */
    static JournalBuilder builder(final Path path)
    {
        return new JournalBuilder(path);
    }

    /**
     * {@return the exclusive appender, always the same object, for one thread at a time} Handing it to another thread
     * requires safe publication.
     *
     * @throws IllegalStateException if {@link #sharedAppender()} was taken before.
     */
    JournalAppender appender();

    /**
     * {@return the shared appender, always the same object, for any number of threads}
     *
     * @throws IllegalStateException if {@link #appender()} was taken before.
     */
    JournalAppender sharedAppender();

    /**
     * {@return a reader of all written records for a consumer, at the first record after its cursor}
     * {@link JournalReader#commit()} saves the cursor. If records after the cursor were pruned, the reader's state is
     * {@link JournalReader.State#PRUNED} until a seek repositions it: a consumer misses no record without noticing.
     * Other exceptions are those of {@link #openReader()}.
     *
     * @param cursor of this journal, see {@link #cursor(String)}.
     * @throws IllegalArgumentException if the cursor belongs to another journal, or was deleted.
     */
    default JournalReader openReader(final JournalCursor cursor)
    {
        return openReader(cursor, JournalReader.Limit.WRITTEN);
    }

    /**
     * {@return a reader after a cursor, as with {@link #openReader(JournalCursor)}}
     *
     * @param cursor of this journal.
     * @param limit  how far it may read: durable records only, if the consumer's effects survive a power loss.
     */
    JournalReader openReader(JournalCursor cursor, JournalReader.Limit limit);

    /**
     * Forces all appended records. On return they are durable.
     *
     * @throws JournalException if storage failed, now or before: nothing more is acknowledged, reopen to recover.
     */
    void force();

    /**
     * Waits until a record is durable. Forces all appended records, unless another thread is already doing so; under
     * {@link ForcePolicy#every}, waits for the background agent to do so. Concurrent callers share one fsync (group
     * commit).
     *
     * @param sequence of the record; 0, the last sequence of an empty journal, is durable.
     * @throws IllegalArgumentException if no such record was appended yet.
     * @throws JournalException         if storage failed, now or before, and the record is not known to be durable.
     * @throws IllegalStateException    if the record is not known to be durable, and was truncated or the journal is
     *                                  closed.
     */
    void awaitForced(long sequence);

    /**
     * Waits as {@link #awaitForced(long)} does, but no longer than a timeout, unless the calling thread has to run the
     * fsync itself.
     * <p>
     * The limit holds as far as the JVM runs: with {@link io.journal.store.Backend#MAPPED}, an append can stall in a
     * page fault while the device hangs, and the JVM cannot pause that thread. At its next safepoint, at the latest
     * about a second later on JDK 17, all threads wait for it. The other backends have no such stall.
     *
     * @param sequence of the record.
     * @param timeout  to wait; zero or negative not to wait at all.
     * @return whether the record is durable.
     * @throws IllegalArgumentException as {@link #awaitForced(long)}, as are the other exceptions.
     */
    boolean awaitForced(long sequence, Duration timeout);

    /**
     * Registers the journal's one durability listener, so appenders need not block on fsync.
     * <p>
     * The background agent calls it after one or more forces, with the sequence of the newest durable record. Sequences
     * rise, except after {@link #truncateAfter}; a call that is beginning or in progress at that moment may still
     * report truncated records, even shortly after the truncation has returned. The closing thread makes the last call
     * once everything is released, unless another thread is inside the listener: then that thread makes it. A listener
     * causes no forces; {@link ForcePolicy#every} does, with an interval of 0 as often as the device allows. After a
     * failed force it is not called again, except by the closing thread for an earlier force. Instead the
     * {@link JournalBuilder#errorHandler} is called, if the background agent made the force that failed, and
     * {@link JournalCounters#isFailed()} is true from then on.
     *
     * @param listener of durable sequences; until it returns, no segment is prepared and the agent makes no force, so
     *                 it must not wait for a thread that waits for either. Its exceptions go to the
     *                 {@link JournalBuilder#errorHandler}, and it is called again the next time.
     * @throws IllegalStateException if a listener is registered already.
     */
    void onForced(LongConsumer listener);

    /**
     * Drops old history: all segments whose records are below a sequence, except the newest segment. On return they are
     * gone, also after a crash. A reader whose next record is gone reports it. Neither cursors nor snapshots hold this
     * back: see {@link JournalCursor#lag()} and {@link Snapshots#firstNeededSequence()}.
     *
     * @param sequence of the first record still needed, from 1 to one more than {@link #lastSequence()}.
     * @return {@link #firstSequence()}: the first sequence of that record's segment, or lower if less was dropped.
     * @throws IllegalArgumentException if there is no such record yet.
     * @throws JournalException         if storage failed. Files that could not be deleted are no longer part of the
     *                                  journal; the next opening deletes them.
     */
    long prune(long sequence);

    /**
     * Truncates the newest end: on return all records after the given one are gone, also after a crash, and their
     * sequences are reused. The remaining records are durable. Does not wait for readers: a poll in progress may still
     * return records that are truncated. A reader that has read such records reports it, and {@link #awaitForced(long)}
     * throws if it waits for such a record.
     * <p>
     * With {@link #appender()}, call this from the appending thread; with {@link #sharedAppender()}, from any thread.
     *
     * @param sequence of the last record to keep, from one less than {@link #firstSequence()} to
     *                 {@link #lastSequence()}.
     * @throws IllegalArgumentException if there is no such record, or the next one is in the middle of a batch.
     * @throws IllegalStateException    if a claim is open; if a snapshot contains records to be truncated, see
     *                                  {@link Snapshots#discardAfter(long)}; or if some thousand truncations were not
     *                                  pruned.
     * @throws JournalException         if storage failed: close and reopen, which shows whether the records are gone.
     *                                  After any other exception nothing was changed. A file that cannot be deleted is
     *                                  no error: the next opening deletes it.
     */
    void truncateAfter(long sequence);

    /**
     * Starts a new segment, so that all records so far can be pruned once the next one is appended, unless the newest
     * segment was started since the journal was opened or truncated, and holds no record yet. The threads that may call
     * {@link #truncateAfter(long)} may call this. Other exceptions are those of appending.
     *
     * @throws JournalFullException  if there is no space for it, also after {@link Retention} was applied; otherwise
     *                               nothing was changed.
     * @throws IllegalStateException if a claim is open.
     */
    void roll();

    /** {@return the sequence of the oldest record; the next sequence while there is no record} */
    long firstSequence();

    /** {@return the sequence of the newest appended record; one less than {@link #firstSequence()} if there is none} */
    long lastSequence();

    /** {@return the sequence of the newest written record: it survives a crash of this process} */
    long writtenSequence();

    /** {@return the sequence of the newest durable record: it survives a loss of power} */
    long forcedSequence();

    /**
     * {@return the cursor of a name, the same object until it is deleted} Creates it if absent, positioned before the
     * oldest record. {@link Retention} waits only for cursors that exist: create one together with the journal, or
     * before the journal is opened with a retention for the first time.
     *
     * @param name 1 to 100 letters A-Z and a-z, digits, dots, underscores and hyphens, not beginning with a dot.
     * @throws IllegalArgumentException if the name is not allowed.
     * @throws IllegalStateException    if there is no room for another cursor: some hundreds fit.
     * @throws JournalException         if storage failed, now or before.
     */
    JournalCursor cursor(String name);

    /** {@return the names of all cursors in order} */
    List<String> cursorNames();

    /**
     * Deletes a cursor, if there is one, as {@link JournalCursor#delete()} does.
     *
     * @param name of the cursor.
     */
    void deleteCursor(String name);

    /** {@return the snapshots of the application's state, always the same object} */
    Snapshots snapshots();

    /**
     * Copies the journal, verified, to another directory, where it can be opened with any backend. The copy holds all
     * records appended before the call, possibly some appended during it, the cursors, none of them ahead of
     * these records, and the intact snapshots. On return it is durable; if this throws, nothing of it remains. Copying
     * the files by other means while the journal is open does not make a backup.
     * <p>
     * Appending, forcing and reading continue; pruning, retention, truncation and saving a snapshot wait. The copy is
     * made beside the target, in a directory with {@code .unfinished-backup} appended to its name, and renamed. The
     * next backup to the target deletes that directory if a process that ended has left it.
     *
     * @param target directory of the copy, which must not exist; its parent must.
     * @return sequence of the last record in the copy.
     * @throws IllegalArgumentException if the target exists or lies within this journal.
     * @throws JournalLockedException   if another backup to the target is in progress.
     * @throws CorruptJournalException  if a record is damaged.
     * @throws JournalFullException     if there is no space for the copy.
     * @throws JournalException         if storage failed before, or the copy cannot be written.
     * @throws IllegalStateException    if the journal is closed before or during the call.
     */
    long backup(Path target);

    /** {@return the runtime metrics, always the same object} They stay readable after close. */
    JournalCounters counters();

    /** {@return the length of each segment file in bytes} */
    int segmentLength();

    /** {@return what opening found and repaired} */
    RecoveryReport recoveryReport();

    /**
     * {@return the background agent, for the caller to invoke, from one thread at a time, if the journal was built
     * without a thread for it} {@link JournalBuilder#backgroundThread} lists the work that is not done without it.
     *
     * @throws IllegalStateException if the journal has a thread for it.
     */
    Agent backgroundAgent();

    /**
     * {@return whether {@link #close()} was called} Distinguishes a closed journal from other causes of an exception.
     */
    boolean isClosed();

    /**
     * Closes the journal: refuses new records and the commit of an open claim, forces the appended records, and
     * releases the lock. Idempotent. If another thread than the appending one calls it, it waits for an append in
     * progress, but not for an open claim. Readers stay open until they are closed.
     * <p>
     * Does not wait for a listener, error handler or reader's handler in progress, which may still run when this
     * returns: the callback may be waiting for this thread, as in {@link System#exit} while a shutdown hook closes the
     * journal.
     *
     * @throws JournalException if the remaining records could not be forced, or storage failed before, even if an
     *                          earlier call has reported that; all resources are released nevertheless.
     */
    @Override
    void close();
}
