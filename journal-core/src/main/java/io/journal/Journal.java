package io.journal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.LongConsumer;

import io.journal.internal.files.CursorFile;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.files.Window;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.manage.Backup;
import io.journal.internal.manage.BackupTarget;
import io.journal.internal.manage.Cursors;
import io.journal.internal.manage.SegmentLifecycle;
import io.journal.internal.manage.SnapshotKeeper;
import io.journal.internal.observe.Events;
import io.journal.internal.platform.FileType;
import io.journal.internal.read.LiveSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.recover.JournalCreation;
import io.journal.internal.recover.Recovery;
import io.journal.internal.write.AppendPath;
import io.journal.internal.write.BackgroundAgent;
import io.journal.internal.write.ForcedListeners;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Monitor;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentAllocator;
import io.journal.internal.write.TailWindow;
import io.journal.internal.write.TailWriter;
import io.journal.store.Backend;
import io.journal.store.SegmentStore.NoSpaceException;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;

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
 */
public final class Journal implements AutoCloseable
{
    private static final int MAX_UNFORCED = 16;
    private static final int DEFAULT_WINDOW_LENGTH = 64 * 1024;
    private static final long REFRESH_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);
    private static final Duration LONGEST = Duration.ofNanos(Long.MAX_VALUE);
    private static final long IDLE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long BUSY_IDLE_NS = TimeUnit.MILLISECONDS.toNanos(1);

    private final Path path;
    private final SegmentStore store;
    private final DirectoryLock lock;
    private final JournalMeta identity;
    private final MarkFile markFile;
    private final Cursors cursors;
    private final Map<String, JournalCursor> cursorHandles = new ConcurrentHashMap<>();
    private final SnapshotKeeper snapshotKeeper;
    private final Snapshots snapshots;
    private final RecoveryReport recoveryReport;
    private final FailureLatch latch = new FailureLatch();
    private final WriterFence fence;
    private final Positions positions;
    private final SegmentAllocator allocator;
    private final Forcer forcer;
    private final TailWriter tail;
    private final LiveSource source;
    private final SegmentLifecycle history;
    private final JournalCounters counters;
    private final ReaderGate readers = new ReaderGate();
    private final ForcedListeners listeners = new ForcedListeners();
    private final AppendPath appendPath;
    private final JournalAppender appender;
    private final BackgroundAgent agent;
    private final BackgroundAgent.Runner agentRunner;
    private final ErrorHandler errorHandler;
    private final EpochClock clock;
    private final AtomicBoolean isClosing = new AtomicBoolean();
    // The closing thread: a listener or error handler that it calls may close the journal too.
    private volatile Thread closer;
    private long nextRefreshNs = System.nanoTime();
    private boolean isFenceUnknown;
    private final CountDownLatch closed = new CountDownLatch(1);

    private Journal(
        final JournalBuilder settings,
        final SegmentStore store,
        final DirectoryLock lock,
        final Recovery.Result recovered) throws IOException
    {
        this.path = settings.path();
        this.store = store;
        this.lock = lock;
        errorHandler = settings.errorHandler();
        identity = recovered.meta;
        markFile = recovered.markFile;
        clock = settings.clock();
        recoveryReport = new RecoveryReport(recovered);

        final Window window =
            Window.of(store, settings.writeWindow() > 0 ? settings.writeWindow() : DEFAULT_WINDOW_LENGTH);
        final boolean isBatching = settings.writeWindow() > 0 && !window.isShared();
        final boolean isWritingEach = !isBatching && !window.isShared();
        positions = new Positions(window.isShared());
        fence = new WriterFence(lock, markFile, latch);
        allocator = new SegmentAllocator(
            store, identity, settings.randoms(), settings.clock(), latch, fence);
        forcer = new Forcer(positions, markFile, settings.forcePolicy(), latch, fence);
        tail = new TailWriter(
            new TailWindow(window, isWritingEach, positions, latch, fence),
            allocator,
            forcer,
            settings.clock(),
            this::onRoll);
        source = new LiveSource(store, this::meta, positions, latch, tail, () -> 0 == closed.getCount());
        cursors = new Cursors(recovered.cursors, positions, forcer, this::firstSequence, latch);
        history = new SegmentLifecycle(
            store, identity, markFile, source, allocator, forcer, tail, positions, readers, cursors,
            listeners, latch);
        final Monitor monitor = new Monitor(
            positions,
            latch,
            allocator,
            forcer,
            new Layout(identity.segmentLength),
            () -> meta().state.startPosition);
        forcer.monitor(monitor);
        counters = new JournalCounters(monitor);
        final Retention retention = settings.retention();
        agent = new BackgroundAgent(
            forcer,
            latch,
            errorHandler,
            allocator::prepare,
            tail::writeWaiting,
            forcer::forcePeriodically,
            () -> listeners.tell(positions::forcedSequence, errorHandler),
            forcer::forceComplete,
            () -> publishAndRetain(retention));
        agentRunner = settings.isBackgroundThreaded() ?
            new BackgroundAgent.Runner(agent, idleNs(settings.forcePolicy(), isBatching)) : null;
        appendPath = new AppendPath(
            tail, forcer, latch, settings.forcePolicy(), settings.maxRecordLength(), identity.segmentLength);
        appender = new JournalAppender(appendPath);

        snapshotKeeper = new SnapshotKeeper(
            store, identity.uuid, source, positions, forcer, settings.forcePolicy(), history, cursors, latch,
            errorHandler);
        snapshots = new Snapshots(snapshotKeeper);
        start(recovered, settings.isRecycling(), window.isShared());
    }

    /**
     * Opens a journal with default settings. Creates it if absent; recovers it if its last writer did not close it.
     *
     * @param path directory of the journal.
     * @return the journal; exceptions are those of {@link JournalBuilder#open()}.
     */
    public static Journal open(final Path path)
    {
        return builder(path).open();
    }

    /**
     * Opens a journal for reading only; another process may be writing it. Changes nothing and needs no permission to
     * write: see {@link ReadOnlyJournal}.
     *
     * @param path directory of the journal.
     * @return the journal; the caller must close it. Exceptions are those of {@link ReadOnlyJournal}.
     */
    public static ReadOnlyJournal openReadOnly(final Path path)
    {
        return ReadOnlyJournal.open(path, Backend.FILE_CHANNEL.store(path));
    }

    /**
     * Returns a builder with default settings.
     *
     * @param path directory of the journal.
     * @return a builder.
     */
    public static JournalBuilder builder(final Path path)
    {
        return new JournalBuilder(path);
    }

    /**
     * Returns the exclusive appender, always the same object, for one thread at a time. Handing it to another thread
     * requires safe publication.
     *
     * @return the appender.
     * @throws IllegalStateException if {@link #sharedAppender()} was taken before.
     */
    public JournalAppender appender()
    {
        appendPath.share(false);
        return appender;
    }

    /**
     * Returns the shared appender, always the same object, for any number of threads.
     *
     * @return the appender.
     * @throws IllegalStateException if {@link #appender()} was taken before.
     */
    public JournalAppender sharedAppender()
    {
        appendPath.share(true);
        return appender;
    }

    /**
     * Opens a reader of all written records, at the first one.
     *
     * @return the reader, for one thread at a time; the caller must close it.
     * @throws CorruptJournalException if the first segment is damaged or missing.
     * @throws JournalException        if it cannot be read.
     * @throws JournalClosedException  if the journal is closed.
     */
    public JournalReader openReader()
    {
        return openReader(JournalReader.Limit.WRITTEN);
    }

    /**
     * Opens a reader at the first record.
     *
     * @param limit how far it may read.
     * @return the reader, for one thread at a time; the caller must close it.
     * @throws CorruptJournalException if the first segment is damaged or missing.
     * @throws JournalException        if it cannot be read.
     * @throws JournalClosedException  if the journal is closed.
     */
    public JournalReader openReader(final JournalReader.Limit limit)
    {
        latch.check();
        return JournalReader.open(source, readers, limit);
    }

    /**
     * Forces all appended records. On return they are durable.
     *
     * @throws JournalException      if storage failed, now or before: nothing more is acknowledged, reopen to recover.
     * @throws JournalClosedException if the journal is closed.
     */
    public void force()
    {
        latch.check();
        forcer.force();
    }

    /**
     * Waits until a record is durable. Forces all appended records, unless another thread is already doing so; under
     * {@link ForcePolicy#every}, waits for the background agent to do so. Concurrent callers share one fsync (group
     * commit).
     *
     * @param sequence of the record.
     * @throws IllegalArgumentException if no such record was appended yet.
     * @throws JournalException         if storage failed, now or before, and the record is not known to be durable.
     * @throws JournalClosedException   if the journal is closed and the record is not known to be durable.
     * @throws IllegalStateException    if the record was truncated meanwhile.
     */
    public void awaitForced(final long sequence)
    {
        checkAppended(sequence);
        // Also while the journal is being closed: closing forces the record as well.
        forcer.awaitForced(sequence);
    }

    /**
     * Waits until a record is durable, as {@link #awaitForced(long)} does, but no longer than a timeout. A thread that
     * has to run the fsync itself returns when the fsync has ended.
     *
     * @param sequence of the record.
     * @param timeout  0 or more.
     * @return whether the record is durable.
     * @throws IllegalArgumentException if no such record was appended yet.
     * @throws JournalException         if storage failed, now or before, and the record is not known to be durable.
     * @throws JournalClosedException   if the journal is closed and the record is not known to be durable.
     * @throws IllegalStateException    if the record was truncated meanwhile.
     */
    public boolean awaitForced(final long sequence, final Duration timeout)
    {
        checkAppended(sequence);
        return forcer.awaitForced(sequence, toNanos(timeout));
    }

    /**
     * Registers a listener for durability acknowledgements, so appenders need not block on fsync.
     * <p>
     * The background agent calls it after one or more forces, with the sequence of the newest durable record: all
     * records up to it are durable. Sequences rise, except after {@link #truncateAfter}; a call in progress at that
     * moment may still report truncated records. The closing thread makes the last call. A listener causes no forces;
     * {@link ForcePolicy#every} does, with an interval of 0 as often as the device allows.
     *
     * @param listener of durable sequences; it should return quickly, since no segment is prepared meanwhile. If it
     *                 throws, the exception goes to the {@link JournalBuilder#errorHandler}, and the listener is called
     *                 again the next time.
     */
    public void onForced(final LongConsumer listener)
    {
        listeners.add(Objects.requireNonNull(listener, "listener"), positions::forcedSequence);
        forcer.onForced(this::wakeToTell);
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
     * @throws JournalClosedException   if the journal is closed.
     */
    public long prune(final long sequence)
    {
        return history.prune(sequence);
    }

    /**
     * Truncates the newest end: on return all records after one are gone, also after a crash, and their sequences are
     * reused. The remaining records are durable. Drains in-flight polls; new ones return 0 meanwhile. A reader that has
     * read truncated records reports it.
     * <p>
     * With {@link #appender()}, call this from the appending thread; with {@link #sharedAppender()}, from any thread. A
     * thread that waits for a truncated record to become durable gets an {@link IllegalStateException}.
     *
     * @param sequence of the last record to keep, from one less than {@link #firstSequence()} to
     *                 {@link #lastSequence()}.
     * @throws IllegalArgumentException if there is no such record, or the next one is in the middle of a batch; nothing
     *                                  was changed.
     * @throws IllegalStateException    if a claim is open, or a reader's handler calls this; nothing was changed.
     * @throws SnapshotException        if a snapshot contains records to be truncated; nothing was changed. See
     *                                  {@link Snapshots#discardAfter(long)}.
     * @throws JournalException         if storage failed: close and reopen to recover, which completes the truncation
     *                                  if it was begun.
     * @throws JournalClosedException   if the journal is closed.
     */
    public void truncateAfter(final long sequence)
    {
        snapshotKeeper.checkTruncation(sequence);
        history.truncateAfter(sequence, appendPath::exclusively);
    }

    /**
     * Starts a new segment, so that all records so far can be pruned once the next one is appended. Does nothing if the
     * newest segment was started since the journal was opened or truncated, and holds no record yet. Call it from the
     * threads that may call {@link #truncateAfter(long)}.
     *
     * @throws JournalFullException   if there is no space for it; nothing was changed.
     * @throws IllegalStateException  if a claim is open.
     * @throws JournalException       if the segment could not be created or storage failed, as when appending.
     * @throws JournalClosedException if the journal is closed.
     */
    public void roll()
    {
        try
        {
            appendPath.exclusively(() ->
            {
                latch.check();
                tail.rollUnlessEmpty();
            });
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot roll; cause=" + ex, ex);
        }
        catch (final InternalError ex)
        {
            throw latch.fail("roll", ex);
        }
    }

    /**
     * The oldest record.
     *
     * @return its sequence; that of the next record while there is none.
     */
    public long firstSequence()
    {
        return history.firstSequence();
    }

    /**
     * The newest appended record.
     *
     * @return its sequence; one less than {@link #firstSequence()} while there is none.
     */
    public long lastSequence()
    {
        return positions.appendedSequence();
    }

    /**
     * The newest written record: it survives a crash of this process.
     *
     * @return its sequence.
     */
    public long writtenSequence()
    {
        return positions.writtenSequence();
    }

    /**
     * The newest durable record: it survives a loss of power.
     *
     * @return its sequence.
     */
    public long forcedSequence()
    {
        return positions.forcedSequence();
    }

    /**
     * Returns the cursor of a name. Creates it if absent, positioned before the oldest record.
     *
     * @param name of the cursor: 1 to 100 letters A-Z and a-z, digits, dots, underscores and hyphens, not beginning
     *             with a dot.
     * @return the cursor: the same object for the same name, until it is deleted.
     * @throws IllegalArgumentException   if the name is not allowed.
     * @throws CorruptJournalException    if its file cannot be used; after {@link #deleteCursor(String)} it can be
     *                                    created again.
     * @throws JournalFullException       if there is no space for a new one; nothing of it remains.
     * @throws JournalException           if its file is of a newer format, a new one cannot be created, or storage
     *                                    failed before.
     * @throws JournalClosedException     if the journal is closed.
     */
    public JournalCursor cursor(final String name)
    {
        final CursorFile file = cursors.get(name);
        return cursorHandles.compute(
            name, (key, handle) -> null != handle && file == handle.file() ? handle : new JournalCursor(cursors, file));
    }

    /**
     * Names of all cursors, including those whose file cannot be used.
     *
     * @return the names in order, as of now.
     */
    public List<String> cursorNames()
    {
        return cursors.files().names();
    }

    /**
     * Deletes a cursor, including one whose file cannot be used. It no longer holds back retention. On return the
     * deletion is durable.
     *
     * @param name of the cursor; nothing happens if there is none.
     * @throws JournalException       if storage failed, now or before.
     * @throws JournalClosedException if the journal is closed.
     */
    public void deleteCursor(final String name)
    {
        cursors.delete(name);
    }

    /**
     * Snapshots of the application's state, so that a restart need not replay all history.
     *
     * @return the snapshots: always the same object.
     */
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
     * files by other means while the journal is open does not make a backup. If the process ends during the call, the
     * files it leaves are not a journal; the next backup of this journal to the same target removes them and starts
     * over.
     *
     * @param target directory of the copy: empty, absent with or without its parents, or left by an unfinished backup
     *               of this journal.
     * @return sequence of the last record in the copy.
     * @throws IllegalArgumentException if the target contains anything else, is not a directory, or lies within this
     *                                  journal.
     * @throws JournalLockedException   if another backup to the target is in progress.
     * @throws CorruptJournalException  if a record is damaged.
     * @throws JournalFullException     if there is no space for the copy.
     * @throws JournalException         if storage failed before, or the copy cannot be written.
     * @throws JournalClosedException   if the journal is closed before or during the call. Whatever is thrown, nothing
     *                                  of the copy remains.
     */
    public long backup(final Path target)
    {
        latch.check();
        final Path directory = BackupTarget.checkPlace(target, path);
        return backup(directory, Backend.FILE_CHANNEL.store(directory));
    }

    /**
     * Where the journal ends, for diagnostics.
     *
     * @return position in bytes after the last appended frame.
     */
    public long endPosition()
    {
        return positions.appendedPosition();
    }

    /**
     * The durable watermark, for diagnostics: everything below it is durable.
     *
     * @return position in bytes.
     */
    public long forcedPosition()
    {
        return positions.forcedPosition();
    }

    /**
     * Runtime metrics: current ends of the journal, number of segments, duration of forces. Other processes read them
     * through {@link ReadOnlyJournal#counters()}. They stay readable after close.
     *
     * @return the counters: always the same object.
     */
    public JournalCounters counters()
    {
        return counters;
    }

    /**
     * The journal's directory.
     *
     * @return the path as it was given.
     */
    public Path path()
    {
        return path;
    }

    /**
     * Length of each segment file.
     *
     * @return length in bytes.
     */
    public int segmentLength()
    {
        return identity.segmentLength;
    }

    /**
     * What opening found and repaired.
     *
     * @return the report.
     */
    public RecoveryReport recoveryReport()
    {
        return recoveryReport;
    }

    /**
     * The background agent, for the caller to invoke if the journal was built without a thread for it. Call its
     * {@link Agent#doWork()} from one thread at a time. What is not done without it:
     * {@link JournalBuilder#backgroundThread}.
     *
     * @return the background agent.
     * @throws IllegalStateException if the journal has a thread for it.
     */
    public Agent backgroundAgent()
    {
        if (null != agentRunner)
        {
            throw new IllegalStateException("the background agent has a thread of its own");
        }

        return agent;
    }

    /**
     * Whether the journal is closed.
     *
     * @return true once {@link #close()} was called.
     */
    public boolean isClosed()
    {
        return latch.isClosed();
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
        if (isClosing.compareAndSet(false, true))
        {
            closer = Thread.currentThread();
            try
            {
                closeOnce();
            }
            finally
            {
                closed.countDown();
            }
        }
        else if (!isClosingItself())
        {
            awaitClosed();
        }
    }

    @Override
    public String toString()
    {
        return "Journal{path=" + path +
            ", lastSequence=" + lastSequence() +
            ", forcedSequence=" + forcedSequence() +
            ", isClosed=" + isClosed() + '}';
    }

    static Journal open(final JournalBuilder settings)
    {
        final Path path = settings.path();
        try
        {
            return openLocked(settings);
        }
        catch (final NoSpaceException ex)
        {
            throw new JournalFullException(
                "no space to open the journal: path=" + path + "; free some space and open again; cause=" + ex, ex);
        }
        catch (final IOException | UncheckedIOException | InternalError ex)
        {
            throw new JournalException("cannot open the journal: path=" + path + "; cause=" + ex, ex);
        }
    }

    long backup(final Path directory, final SegmentStore target)
    {
        // Checked first: a target that is not allowed is the caller's mistake, and changes nothing.
        new BackupTarget(directory, target, meta()).check();
        final long[] copied = new long[1];
        snapshotKeeper.heldBy(() -> historyHeldBy(() ->
        {
            force();
            copied[0] = new Backup(store, target, history.meta(), latch)
                .copy(directory, positions.forcedPosition(), cursors.files(), snapshotKeeper, clock.time());
        }));
        return copied[0];
    }

    /**
     * Runs an action while pruning, retention and truncation wait.
     */
    void historyHeldBy(final Runnable action)
    {
        history.hold();
        try
        {
            action.run();
        }
        finally
        {
            history.release();
        }
    }

    Cursors cursors()
    {
        return cursors;
    }

    private static Journal openLocked(final JournalBuilder settings) throws IOException
    {
        final Path path = settings.path();
        checkDirectory(path);

        final SegmentStore store = settings.store();
        if (!store.list().contains(JournalFiles.META))
        {
            store.makeDirectory();
        }
        DirectoryLock lock = null;
        Recovery.Result recovered = null;
        try
        {
            lock = DirectoryLock.acquire(path);
            final boolean isNew = JournalCreation.createIfAbsent(
                store, settings.newSegmentLength(), settings.randoms(), settings.clock());
            checkSegmentLength(settings, store);
            final Object event = Events.INSTANCE.beginRecovery();
            recovered = Recovery.recover(store, isNew);
            Events.INSTANCE.endRecovery(
                event, path, recovered.isCleanlyClosed, recovered.lastSequence,
                recovered.endPosition - recovered.scanStartPosition, recovered.cutLength);
            return new Journal(settings, store, lock, recovered);
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(null == recovered ? null : recovered.markFile);
            CloseHelper.quietClose(lock);
            throw ex;
        }
    }

    /**
     * @throws IllegalArgumentException if the path exists and is not a directory.
     */
    static void checkDirectory(final Path path) throws IOException
    {
        // A dangling link is not a directory either.
        if (FileType.DIRECTORY != FileType.of(path) && FileType.ABSENT != FileType.of(path, LinkOption.NOFOLLOW_LINKS))
        {
            throw new IllegalArgumentException("not a directory: path=" + path);
        }
    }

    private static void checkSegmentLength(final JournalBuilder settings, final SegmentStore store) throws IOException
    {
        final int wanted = settings.segmentLength();
        final int found = JournalMeta.read(store, true).segmentLength;
        if (0 != wanted && wanted != found)
        {
            throw new IllegalArgumentException(
                "segment length differs from the journal's: segmentLength=" + wanted + ", journal's=" + found +
                    ", path=" + settings.path());
        }
    }

    private void start(final Recovery.Result recovered, final boolean isRecycling, final boolean isMapped)
        throws IOException
    {
        final Segment segment = openToWrite(recovered.ordinal);
        try
        {
            allocate(segment, recovered, isMapped);
            if (recovered.isNew)
            {
                segment.file.warm();
            }
            if (isRecycling)
            {
                allocator.recycleFrom(isMapped ? lock.allocatedFrom() : 0);
            }
            allocator.start(recovered.ordinal + 1, recovered.isNextThere);
            segment.firstSequence(recovered.nextSequence);
            tail.start(segment, recovered.offset, recovered.nextSequence, identity.state.epoch);
            // The watermark frame at the end is durable before anything can follow it.
            forcer.force();
            if (null != agentRunner)
            {
                agentRunner.start();
            }
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietCloseAll(allocator, forcer, segment);
            throw ex;
        }
    }

    /**
     * Allocates on the device the unwritten part of the newest segment, and of a prepared one, unless it is known to be
     * allocated. A tool that restored the files may have left holes of zeros, and a store to a mapped hole on a full
     * device crashes the process.
     */
    private void allocate(final Segment segment, final Recovery.Result recovered, final boolean isMapped)
        throws IOException
    {
        if (recovered.isNew)
        {
            lock.allocatedFrom(0);
        }
        if (lock.allocatedFrom() > segment.ordinal && isMapped)
        {
            segment.allocate(recovered.offset);
            if (recovered.isNextThere)
            {
                try (Segment next = openToWrite(segment.ordinal + 1))
                {
                    next.allocate(SegmentHeader.LENGTH);
                }
            }
            lock.allocatedFrom(segment.ordinal);
        }
    }

    private Segment openToWrite(final long ordinal) throws IOException
    {
        return Segment.open(store, SegmentStore.Access.WRITE, true, identity.uuid, ordinal, identity.segmentLength);
    }

    private JournalMeta meta()
    {
        return history.meta();
    }

    /**
     * The oldest record that some cursor has not passed yet.
     */
    private long oldestNeeded()
    {
        final long done = cursors.oldestSequence();
        return Long.MAX_VALUE == done ? done : done + 1;
    }

    private static long idleNs(final ForcePolicy policy, final boolean isBatching)
    {
        final long forceIdleNs = policy.isPeriodic() ? Math.max(BUSY_IDLE_NS, policy.intervalNs()) : IDLE_NS;
        return Math.min(forceIdleNs, isBatching ? BUSY_IDLE_NS : IDLE_NS);
    }

    private void checkAppended(final long sequence)
    {
        if (sequence < 1 || sequence > positions.appendedSequence())
        {
            throw new IllegalArgumentException(
                "not appended: sequence=" + sequence + ", lastSequence=" + positions.appendedSequence());
        }
    }

    private static long toNanos(final Duration timeout)
    {
        if (timeout.isNegative())
        {
            return 0;
        }

        return timeout.compareTo(LONGEST) < 0 ? timeout.toNanos() : Long.MAX_VALUE;
    }

    private void wakeToTell()
    {
        if (null != agentRunner && listeners.isAnyBehind(positions.forcedSequence()))
        {
            agentRunner.wake();
        }
    }

    private boolean publishAndRetain(final Retention retention) throws IOException
    {
        final long nowNs = System.nanoTime();
        if (nowNs - nextRefreshNs >= 0)
        {
            nextRefreshNs = nowNs + REFRESH_INTERVAL_NS;
            checkFence();
            forcer.publishCounters();
        }
        final boolean isDropped = history.retain(retention, this::oldestNeeded, clock);
        // Last: the handler may use the journal, and may wait for threads that use it.
        cursors.tellObstacle(errorHandler);
        return isDropped;
    }

    /**
     * Reports a check that fails with an I/O error once, and retries it in the next round.
     */
    private void checkFence()
    {
        try
        {
            fence.check();
            isFenceUnknown = false;
        }
        catch (final IOException ex)
        {
            if (!isFenceUnknown)
            {
                isFenceUnknown = true;
                errorHandler.onError(
                    new JournalException("cannot check the writer's lock: path=" + path + "; cause=" + ex, ex));
            }
        }
    }

    private void onRoll()
    {
        if (null != agentRunner)
        {
            agentRunner.wake();
        }
        if (forcer.backlog() > MAX_UNFORCED)
        {
            forcer.forceComplete();
        }
    }

    /**
     * Whether the closing thread has to wait for the calling thread, which is in a listener or an error handler.
     */
    private boolean isClosingItself()
    {
        return Thread.currentThread() == closer || listeners.isTelling() ||
            null != agentRunner && agentRunner.isCurrentThread();
    }

    private void closeOnce()
    {
        // The thread that met the failure got an exception, unless it was the background agent. Later failures are
        // thrown here as well.
        final boolean wasTold = latch.isFailed() && latch.isTold();
        latch.close();
        try
        {
            // Under a periodic policy no other thread forces for them any more.
            forcer.wakeWaiters();
            if (null != agentRunner)
            {
                agentRunner.stop();
            }
            final boolean isTailFree = appendPath.close();
            if (!wasTold)
            {
                latch.checkStorage();
                finish(isTailFree);
            }
            listeners.tell(positions::forcedSequence, errorHandler);
        }
        finally
        {
            appendPath.release(this::releaseFiles);
        }
    }

    private void releaseFiles()
    {
        history.finish();
        CloseHelper.closeAll(cursors, allocator, forcer, lock);
    }

    private void awaitClosed()
    {
        boolean wasInterrupted = false;
        while (closed.getCount() > 0)
        {
            try
            {
                closed.await();
            }
            catch (final InterruptedException ignore)
            {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    private void finish(final boolean isTailFree)
    {
        final JournalException unknown = checkFenceAtEnd();
        if (isTailFree)
        {
            try
            {
                tail.putClose();
            }
            catch (final InternalError ex)
            {
                throw latch.fail("write", ex);
            }
        }
        forcer.force();
        if (null != unknown)
        {
            throw unknown;
        }
    }

    /**
     * @return the exception to throw once everything is forced, if it is unknown whether the journal is still this
     *         writer's; otherwise null.
     */
    private JournalException checkFenceAtEnd()
    {
        try
        {
            fence.check();
            return null;
        }
        catch (final IOException ex)
        {
            return new JournalException(
                "closed, but it cannot be known whether the files are still the journal's: path=" + path + "; cause=" +
                    ex,
                ex);
        }
    }
}
