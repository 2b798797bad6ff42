package io.journal;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongConsumer;

import io.journal.internal.Engine;
import io.journal.internal.files.CursorFile;
import io.journal.internal.manage.WriterCursor;
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
public final class Journal implements AutoCloseable
{
    private final Engine engine;
    private final JournalAppender appender;
    private final JournalAppender sharedAppender;
    private final RecordLookups lookups;
    private final Snapshots snapshots;
    private final JournalCounters counters;
    private final Map<String, JournalCursor> cursorHandles = new ConcurrentHashMap<>();

    Journal(final Engine engine)
    {
        this.engine = engine;
        appender = new LocalAppender(engine.appendPath, false);
        sharedAppender = new LocalAppender(engine.appendPath, true);
        lookups = new RecordLookups(engine.source, engine.readers);
        snapshots = new Snapshots(engine.snapshots);
        counters = new JournalCounters(engine.monitor);
    }

    /**
     * {@return a journal opened with default settings} See {@link JournalBuilder#open()}.
     *
     * @param path directory of the journal.
     */
    public static Journal open(final Path path)
    {
        return builder(path).open();
    }

    /**
     * {@return a journal opened for reading only, also one that another process is writing} The caller must close it.
     *
     * @param path directory of the journal.
     * @throws IllegalArgumentException if the path is not a directory.
     * @throws JournalNotFoundException if there is no journal yet: try again once its writer has created it.
     * @throws CorruptJournalException  if durable data is damaged or missing.
     * @throws JournalException         if the files cannot be read, or are of a newer format.
     */
    public static ReadOnlyJournal openReadOnly(final Path path)
    {
        return ReadOnlyJournal.open(path, Backend.FILE_CHANNEL.store(path));
    }

    /**
     * {@return a builder with default settings}
     *
     * @param path directory of the journal.
     */
    public static JournalBuilder builder(final Path path)
    {
        return new JournalBuilder(path);
    }

    /**
     * {@return the exclusive appender, always the same object, for one thread at a time} Handing it to another thread
     * requires safe publication.
     *
     * @throws IllegalStateException if {@link #sharedAppender()} was taken before.
     */
    public JournalAppender appender()
    {
        engine.appendPath.share(false);
        return appender;
    }

    /**
     * {@return the shared appender, always the same object, for any number of threads}
     *
     * @throws IllegalStateException if {@link #appender()} was taken before.
     */
    public JournalAppender sharedAppender()
    {
        engine.appendPath.share(true);
        return sharedAppender;
    }

    /**
     * Opens a reader of all written records, at the first one.
     *
     * @return the reader, for one thread at a time; the caller must close it.
     * @throws JournalException if the first segment cannot be read: {@link CorruptJournalException} if it is damaged.
     */
    public JournalReader openReader()
    {
        return openReader(JournalReader.Limit.WRITTEN);
    }

    /**
     * {@return a reader at the first record} Exceptions are those of {@link #openReader()}.
     *
     * @param limit how far it may read.
     */
    public JournalReader openReader(final JournalReader.Limit limit)
    {
        engine.latch.check();
        return JournalReader.open(engine.source, engine.readers, limit, null);
    }

    /**
     * Opens a reader for a consumer: at the first record behind its cursor. {@link JournalReader#commit()} saves the
     * cursor. Reads all written records: with {@link #openReader(JournalCursor, JournalReader.Limit)}, only durable
     * ones, for a consumer whose effects a power loss does not take back.
     *
     * @param cursor of this journal, see {@link #cursor(String)}.
     * @return the reader, for one thread at a time; the caller must close it. If records behind the cursor were pruned,
     *         its state is {@link JournalReader.State#PRUNED} until a seek repositions it, to the first record that is
     *         left for example: a consumer misses no record without noticing.
     * @throws IllegalArgumentException if the cursor is that of another journal.
     * @throws JournalException         as with {@link #openReader()}.
     */
    public JournalReader openReader(final JournalCursor cursor)
    {
        return openReader(cursor, JournalReader.Limit.WRITTEN);
    }

    /**
     * {@return a reader behind a cursor} Everything else is as with {@link #openReader(JournalCursor)}.
     *
     * @param cursor of this journal.
     * @param limit  how far it may read.
     */
    public JournalReader openReader(final JournalCursor cursor, final JournalReader.Limit limit)
    {
        engine.latch.check();
        if (!cursorHandles.containsValue(cursor))
        {
            throw new IllegalArgumentException("cursor of another journal: cursor=" + cursor);
        }

        return JournalReader.open(engine.source, engine.readers, limit, cursor);
    }

    /**
     * Passes one record to a handler, by its sequence. Any number of threads may call this; it opens no reader, keeps
     * what it has found for the next call, and allocates nothing then. Only this record's checksum is verified: damage
     * elsewhere does not matter.
     *
     * @param sequence of the record, at most {@link #lastSequence()}; it need not be durable.
     * @param handler  called with the record; it must not truncate.
     * @return false if there is no such record: it was pruned or truncated, or is not appended yet.
     * @throws CorruptJournalException if the record is damaged.
     * @throws JournalException        if it cannot be read.
     * @throws IllegalStateException   if the journal is closed.
     */
    public boolean get(final long sequence, final RecordHandler handler)
    {
        return get(sequence, 1, handler) > 0;
    }

    /**
     * Passes consecutive records to a handler, as {@link #get(long, RecordHandler)} does with one.
     *
     * @param first   sequence of the first record.
     * @param limit   maximum number of records, 0 or more.
     * @param handler called once per record; if it throws, the call ends.
     * @return number of records passed; fewer than the limit where there are no more.
     */
    public int get(final long first, final int limit, final RecordHandler handler)
    {
        return lookups.get(first, limit, handler);
    }

    /**
     * Forces all appended records. On return they are durable.
     *
     * @throws JournalException if storage failed, now or before: nothing more is acknowledged, reopen to recover.
     */
    public void force()
    {
        engine.force();
    }

    /**
     * Waits until a record is durable. Forces all appended records, unless another thread is already doing so; under
     * {@link ForcePolicy#every}, waits for the background agent to do so. Concurrent callers share one fsync (group
     * commit).
     *
     * @param sequence of the record.
     * @throws IllegalArgumentException if no such record was appended yet.
     * @throws JournalException         if storage failed, now or before, and the record is not known to be durable.
     * @throws IllegalStateException    if the record is not known to be durable, and was truncated or the journal is
     *                                  closed.
     */
    public void awaitForced(final long sequence)
    {
        engine.awaitForced(sequence);
    }

    /**
     * Does the same, but waits no longer than a timeout, unless the calling thread has to run the fsync itself.
     *
     * @param sequence of the record.
     * @param timeout  0 or more.
     * @return whether the record is durable.
     */
    public boolean awaitForced(final long sequence, final Duration timeout)
    {
        return engine.awaitForced(sequence, timeout);
    }

    /**
     * Registers the journal's one durability listener, so appenders need not block on fsync.
     * <p>
     * The background agent calls it after one or more forces, with the sequence of the newest durable record: all
     * records up to it are durable. Sequences rise, except after {@link #truncateAfter}; a call in progress at that
     * moment may still report truncated records. The closing thread makes the last call. A listener causes no forces;
     * {@link ForcePolicy#every} does, with an interval of 0 as often as the device allows.
     *
     * @param listener of durable sequences; no segment is prepared until it returns. What it throws goes to the
     *                 {@link JournalBuilder#errorHandler}, and it is called again the next time.
     * @throws IllegalStateException if a listener is registered already.
     */
    public void onForced(final LongConsumer listener)
    {
        engine.onForced(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Drops old history: all segments whose records are below a sequence. On return they are gone, also after a crash.
     * A reader whose next record is gone reports it; cursors do not hold this back.
     *
     * @param sequence of the first record still needed, from 1 to one more than {@link #lastSequence()}.
     * @return {@link #firstSequence()}: the first sequence of that record's segment, or lower if less was dropped. The
     *         newest segment always stays.
     * @throws IllegalArgumentException if there is no such record yet.
     * @throws JournalException         if storage failed. Files that could not be deleted are no longer part of the
     *                                  journal; the next opening deletes them.
     */
    public long prune(final long sequence)
    {
        return engine.history.prune(sequence);
    }

    /**
     * Truncates the newest end: on return all records after one are gone, also after a crash, and their sequences are
     * reused. The remaining records are durable. Drains in-flight polls; new ones return 0 meanwhile. A reader that has
     * read truncated records reports it, and {@link #awaitForced(long)} for one throws.
     * <p>
     * With {@link #appender()}, call this from the appending thread; with {@link #sharedAppender()}, from any thread.
     *
     * @param sequence of the last record to keep, from one less than {@link #firstSequence()} to
     *                 {@link #lastSequence()}.
     * @throws IllegalArgumentException if there is no such record, or the next one is in the middle of a batch.
     * @throws IllegalStateException    if a claim is open, a handler calls this, or a snapshot contains records to be
     *                                  truncated: see {@link Snapshots#discardAfter(long)}.
     * @throws JournalException         if a cursor cannot be read, since it would miss the truncation; or if storage
     *                                  failed: close and reopen to recover, which completes the truncation if it was
     *                                  begun. After any other exception nothing was changed.
     */
    public void truncateAfter(final long sequence)
    {
        engine.truncateAfter(sequence);
    }

    /**
     * Starts a new segment, so that all records so far can be pruned once the next one is appended. Does nothing if the
     * newest segment was started since the journal was opened or truncated, and holds no record yet. Call it from the
     * threads that may call {@link #truncateAfter(long)}.
     *
     * @throws JournalFullException  if there is no space for it; nothing was changed.
     * @throws IllegalStateException if a claim is open.
     * @throws JournalException      if the segment could not be created or storage failed, as when appending.
     */
    public void roll()
    {
        engine.roll();
    }

    /** {@return the sequence of the oldest record; that of the next record while there is none} */
    public long firstSequence()
    {
        return engine.firstSequence();
    }

    /** {@return the sequence of the newest appended record; that before {@link #firstSequence()} if there is none} */
    public long lastSequence()
    {
        return engine.positions.appendedSequence();
    }

    /** {@return the sequence of the newest written record: it survives a crash of this process} */
    public long writtenSequence()
    {
        return engine.positions.writtenSequence();
    }

    /** {@return the sequence of the newest durable record: it survives a loss of power} */
    public long forcedSequence()
    {
        return engine.positions.forcedSequence();
    }

    /**
     * Returns the cursor of a name. Creates it if absent, positioned before the oldest record.
     *
     * @param name of the cursor: 1 to 100 letters A-Z and a-z, digits, dots, underscores and hyphens, not beginning
     *             with a dot.
     * @return the cursor: the same object for the same name, until it is deleted.
     * @throws IllegalArgumentException if the name is not allowed.
     * @throws CorruptJournalException  if its file cannot be used; {@link #deleteCursor(String)} allows to create it
     *                                  again.
     * @throws JournalFullException     if there is no space for a new one; nothing of it remains.
     * @throws JournalException         if its file is of a newer format, or storage failed, now or before.
     */
    public JournalCursor cursor(final String name)
    {
        final CursorFile file = engine.cursors.get(name);
        return cursorHandles.compute(
            name,
            (key, known) -> null != known && file == ((WriterCursor)known.kept()).file ? known :
                new JournalCursor(new WriterCursor(engine.cursors, file)));
    }

    /** {@return the names of all cursors in order, including those whose file cannot be used} */
    public List<String> cursorNames()
    {
        return engine.cursors.files().names();
    }

    /**
     * Deletes a cursor, usable or not. It no longer holds back retention. On return the deletion is durable.
     *
     * @param name of the cursor; nothing happens if there is none.
     * @throws JournalException if storage failed, now or before.
     */
    public void deleteCursor(final String name)
    {
        engine.cursors.delete(name);
    }

    /** {@return the snapshots of the application's state, always the same object} */
    public Snapshots snapshots()
    {
        return snapshots;
    }

    /**
     * Copies the journal to another directory, where it can be opened with any backend. The copy holds all records
     * appended before the call, and possibly some appended during it. It also holds the cursors, except unusable ones,
     * none of them ahead of the copied records, and the snapshots, except corrupt ones. Each record and snapshot is
     * verified while it is copied. On return the copy is durable.
     * <p>
     * Appending, forcing and reading continue; pruning, retention, truncation and saving a snapshot wait. Copying the
     * files by other means while the journal is open does not make a backup.
     * <p>
     * The copy is made beside the target, in a directory with {@code .unfinished-backup} appended to its name, and
     * renamed once it is durable. The next backup to the target deletes what a process that ended has left of it.
     *
     * @param target directory of the copy, which must not exist; its parents are created if absent.
     * @return sequence of the last record in the copy.
     * @throws IllegalArgumentException if the target exists or lies within this journal; nothing was changed.
     * @throws JournalLockedException   if another backup to the target is in progress.
     * @throws CorruptJournalException  if a record is damaged.
     * @throws JournalFullException     if there is no space for the copy.
     * @throws JournalException         if storage failed before, or the copy cannot be written.
     * @throws IllegalStateException    if the journal is closed before or during the call. Whatever is thrown, nothing
     *                                  of the copy remains.
     */
    public long backup(final Path target)
    {
        return engine.backup(target);
    }

    /**
     * {@return the runtime metrics, always the same object} Other processes read them through
     * {@link ReadOnlyJournal#counters()}. They stay readable after close.
     */
    public JournalCounters counters()
    {
        return counters;
    }

    /** {@return the journal's directory, as it was given} */
    public Path path()
    {
        return engine.path;
    }

    /** {@return the length of each segment file in bytes} */
    public int segmentLength()
    {
        return engine.identity.segmentLength;
    }

    /** {@return what opening found and repaired} */
    public RecoveryReport recoveryReport()
    {
        return new RecoveryReport(engine.recovered);
    }

    /**
     * {@return the background agent, for the caller to invoke if the journal was built without a thread for it} Call
     * its {@link Agent#doWork()} from one thread at a time. What is not done without it:
     * {@link JournalBuilder#backgroundThread}.
     *
     * @throws IllegalStateException if the journal has a thread for it.
     */
    public Agent backgroundAgent()
    {
        return engine.agentWithoutThread();
    }

    /** {@return whether {@link #close()} was called} It distinguishes that from other causes of an exception. */
    public boolean isClosed()
    {
        return engine.latch.isClosed();
    }

    /**
     * Closes the journal: refuses new records, aborts an open claim, forces the appended records and releases the lock.
     * Idempotent. May be called by a thread other than the appending one; it then waits for an append in progress. If
     * the appending thread holds a claim, files and lock are kept until it closes the claim. Readers stay open until
     * they are closed.
     *
     * @throws JournalException if the remaining records could not be forced, or storage failed before and only the
     *                          error handler was notified; all resources are released nevertheless.
     */
    @Override
    public void close()
    {
        engine.close();
    }

    @Override
    public String toString()
    {
        return "Journal{path=" + path() + ", lastSequence=" + lastSequence() +
            ", forcedSequence=" + forcedSequence() + ", isClosed=" + isClosed() + '}';
    }

    Engine engine()
    {
        return engine;
    }
}
