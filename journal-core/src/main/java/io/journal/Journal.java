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
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongConsumer;

import io.journal.internal.files.CursorFile;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.MarkFile;
import io.journal.internal.files.Segment;
import io.journal.internal.files.WriterFence;
import io.journal.internal.format.FrameHeader;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.manage.Backup;
import io.journal.internal.manage.BackupTarget;
import io.journal.internal.manage.Cursors;
import io.journal.internal.manage.SegmentLifecycle;
import io.journal.internal.manage.SnapshotKeeper;
import io.journal.internal.observe.Events;
import io.journal.internal.read.TruncationHistory;
import io.journal.internal.read.LiveSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.recover.JournalCreation;
import io.journal.internal.recover.Recovery;
import io.journal.internal.write.BackgroundAgent;
import io.journal.internal.write.ForcedListeners;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Monitor;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentAllocator;
import io.journal.internal.write.TailWriter;
import io.journal.store.Backend;
import io.journal.store.FileType;
import io.journal.store.NoSpaceException;
import io.journal.store.SegmentStore;
import io.journal.store.Window;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;

/**
 * An append-only journal in a directory, open for writing.
 * <p>
 * Records are appended by one thread through {@link #appender()} and read by any number of {@link JournalReader}s. Each
 * has a <em>sequence</em>, a number from 1 without gaps, which is its address. A journal has three ends: what is
 * <em>appended</em>; what is <em>written</em>, that is with the operating system, and outlives this process; and what
 * is <em>forced</em>, that is on the device, and survives a loss of power.
 * <p>
 * Safe for use by several threads, except for the appender. An interrupt of a calling thread ends no operation.
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
    private final Monitor monitor;
    private final JournalCounters counters;
    private final ReaderGate readers = new ReaderGate();
    private final ForcedListeners listeners = new ForcedListeners();
    private final JournalAppender appender;
    private final SharedAppender sharedAppender;
    private final BackgroundAgent agent;
    private final BackgroundAgent.Runner agentRunner;
    private final ErrorHandler errorHandler;
    private final EpochClock clock;
    private final AtomicBoolean isClosing = new AtomicBoolean();
    // A listener that is told meanwhile may close the journal too.
    private volatile Thread closer;
    private long nextRefreshNs = System.nanoTime();
    private boolean isFenceUnknown;
    private final CountDownLatch closed = new CountDownLatch(1);
    // The one that closes, and the one that appends.
    private final AtomicInteger fileUsers = new AtomicInteger(2);

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
            store.newWindow(settings.writeWindow() > 0 ? settings.writeWindow() : DEFAULT_WINDOW_LENGTH);
        final boolean isBatching = settings.writeWindow() > 0 && !window.isShared();
        final boolean isWritingEach = !isBatching && !window.isShared();
        positions = new Positions(window.isShared());
        fence = new WriterFence(lock, markFile, latch);
        allocator = new SegmentAllocator(
            store,
            identity.uuid,
            identity.segmentLength,
            settings.clock(),
            settings.randoms(),
            settings.isRecycling(),
            latch,
            fence);
        forcer = new Forcer(positions, markFile, settings.forcePolicy(), latch);
        tail = new TailWriter(
            window, isWritingEach, allocator, forcer, positions, latch, fence, settings.clock(), this::onRoll);
        final TruncationHistory truncations = new TruncationHistory(identity.state.epoch);
        source = new LiveSource(store, this::meta, truncations, positions, latch, tail, () -> 0 == closed.getCount());
        cursors = new Cursors(recovered.cursors, positions, forcer, this::firstSequence, latch);
        history = new SegmentLifecycle(
            store, identity, markFile, source, truncations, allocator, forcer, tail, positions, readers, cursors,
            listeners, latch);
        monitor = new Monitor(
            positions,
            latch,
            allocator,
            new Layout(identity.segmentLength),
            markFile,
            () -> meta().state.startPosition,
            forcer::waiters);
        forcer.monitor(monitor);
        counters = new JournalCounters(monitor);
        final Retention retention = settings.retention();
        agent = new BackgroundAgent(
            allocator,
            forcer,
            tail,
            positions,
            latch,
            listeners,
            () -> publishAndRetain(retention),
            settings.errorHandler());
        agentRunner = settings.isCompanionThreaded() ?
            new BackgroundAgent.Runner(agent, idleNs(settings.forcePolicy(), isBatching)) : null;
        appender = new JournalAppender(
            tail,
            forcer,
            settings.forcePolicy(),
            latch,
            Math.min(settings.maxRecordLength(), largestRecord()),
            FrameHeader.LENGTH + largestRecord());
        sharedAppender = new SharedAppender(appender);

        snapshotKeeper = new SnapshotKeeper(
            store, identity.uuid, source, positions, forcer, settings.forcePolicy(), history, cursors, latch,
            errorHandler);
        snapshots = new Snapshots(snapshotKeeper);
        start(recovered, window.isShared());
    }

    /**
     * Opens a journal with default settings, creates it if there is none, and recovers it if its last writer did not
     * close it.
     *
     * @param path directory of the journal.
     * @return the journal; errors are those of {@link JournalBuilder#open()}.
     */
    public static Journal open(final Path path)
    {
        return builder(path).open();
    }

    /**
     * Opens a journal that another process may be writing, to read it only. Changes nothing, and needs no permission
     * to: see {@link ReadOnlyJournal}.
     *
     * @param path directory of the journal.
     * @return the journal; to be closed by its user. Errors are those of {@link ReadOnlyJournal}.
     */
    public static ReadOnlyJournal openReadOnly(final Path path)
    {
        return ReadOnlyJournal.open(path, Backend.FILE_CHANNEL.store(path));
    }

    /**
     * Begins with default settings.
     *
     * @param path directory of the journal.
     * @return a builder.
     */
    public static JournalBuilder builder(final Path path)
    {
        return new JournalBuilder(path);
    }

    /**
     * The appender: always the same, for one thread at a time. Handing it to another thread needs what publishes any
     * object between threads.
     *
     * @return the appender.
     * @throws IllegalStateException if {@link #sharedAppender()} was taken before.
     */
    public JournalAppender appender()
    {
        appender.decide(false);
        return appender;
    }

    /**
     * The appender for any number of threads: always the same.
     *
     * @return the appender.
     * @throws IllegalStateException if {@link #appender()} was taken before.
     */
    public SharedAppender sharedAppender()
    {
        appender.decide(true);
        return sharedAppender;
    }

    /**
     * Opens a reader at the first record, of all that is written.
     *
     * @return the reader, for one thread at a time; to be closed by its user.
     * @throws CorruptJournalException if the first segment is damaged or gone.
     * @throws JournalException        if it cannot be read.
     * @throws JournalClosedException  if the journal is closed.
     */
    public JournalReader openReader()
    {
        return openReader(ReadLimit.WRITTEN);
    }

    /**
     * Opens a reader at the first record.
     *
     * @param limit how far it may read.
     * @return the reader, for one thread at a time; to be closed by its user.
     * @throws CorruptJournalException if the first segment is damaged or gone.
     * @throws JournalException        if it cannot be read.
     * @throws JournalClosedException  if the journal is closed.
     */
    public JournalReader openReader(final ReadLimit limit)
    {
        latch.check();
        return JournalReader.open(source, readers, limit);
    }

    /**
     * Forces all that is appended. On return it survives a loss of power.
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
     * Waits until a record is forced. Forces it, together with all that is appended, if nobody else does; under
     * {@link ForcePolicy#every} waits for the background agent to do so. Threads that wait at the same time share
     * forces.
     *
     * @param sequence of the record.
     * @throws IllegalArgumentException if no such record was appended yet.
     * @throws JournalException         if storage failed, now or before, and the record is not known to be forced.
     * @throws JournalClosedException   if the journal is closed and the record is not known to be forced.
     * @throws IllegalStateException    if the record was cut off meanwhile.
     */
    public void awaitForced(final long sequence)
    {
        checkAppended(sequence);
        // Also while the journal is being closed: that forces the record as well.
        forcer.awaitForced(sequence);
    }

    /**
     * Waits until a record is forced, as {@link #awaitForced(long)} does, but not for longer than a time. A thread that
     * forces by itself, since nobody else does, returns when that has ended.
     *
     * @param sequence of the record.
     * @param timeout  0 or more.
     * @return whether the record is forced.
     * @throws IllegalArgumentException if no such record was appended yet.
     * @throws JournalException         if storage failed, now or before, and the record is not known to be forced.
     * @throws JournalClosedException   if the journal is closed and the record is not known to be forced.
     * @throws IllegalStateException    if the record was cut off meanwhile.
     */
    public boolean awaitForced(final long sequence, final Duration timeout)
    {
        checkAppended(sequence);
        return forcer.awaitForced(sequence, toNanos(timeout));
    }

    /**
     * Has a listener told what is forced, so that a thread that appends need not wait for it.
     * <p>
     * The background agent calls it, some time after each force or after several, with a sequence that rises: all
     * records up to it are forced. Only {@link #truncateAfter} lets it fall; a call that is under way then may still
     * tell of records that are cut. When the journal is closed, the closing thread calls it for the last time.
     * Listening does not cause forces; {@link ForcePolicy#every} does, with an interval of 0 as often as the device
     * allows.
     *
     * @param listener of forced sequences, which should be quick: no segment is prepared meanwhile. If it throws, the
     *                 {@link JournalBuilder#errorHandler} is told, and the listener is called again the next time.
     */
    public void onForced(final LongConsumer listener)
    {
        listeners.add(Objects.requireNonNull(listener, "listener"), positions::forcedSequence);
        forcer.onForced(this::wakeToTell);
    }

    /**
     * Drops old history: all segments whose records are below one. What is dropped is gone when this returns, also
     * after a crash. Readers whose next record is gone say so; cursors do not hold this back.
     *
     * @param sequence of the first record that is still needed, from 1 to one behind {@link #lastSequence()}.
     * @return {@link #firstSequence()}, which is that of its segment, or lower if less was dropped: the newest segment
     *         always stays.
     * @throws IllegalArgumentException if there is no such record yet.
     * @throws JournalException         if storage failed. If files could not be deleted, they are not part of the
     *                                  journal any more and go when it is opened the next time.
     * @throws JournalClosedException   if the journal is closed.
     */
    public long prune(final long sequence)
    {
        return history.prune(sequence);
    }

    /**
     * Cuts the newest end: all records behind one are gone when this returns, also after a crash, and their sequences
     * are given to others. What is left is forced. Waits for readers that are handing out records; those that have read
     * what is cut say so.
     * <p>
     * With {@link #appender()} to be called by the appending thread; with {@link #sharedAppender()} by any. Whoever
     * waits for a record to be forced that is cut is told by an {@link IllegalStateException}.
     *
     * @param sequence of the last record to be kept, from one less than {@link #firstSequence()} to
     *                 {@link #lastSequence()}.
     * @throws IllegalArgumentException if there is no such record, or the next one is in the middle of a batch; nothing
     *                                  was changed.
     * @throws IllegalStateException    if a claim is open, or this is called by a reader's handler; likewise.
     * @throws SnapshotException        if a snapshot contains records that would be cut; likewise. See
     *                                  {@link Snapshots#discardAfter(long)}.
     * @throws JournalException         if storage failed: close and reopen to recover, which completes the cut if it
     *                                  was begun.
     * @throws JournalClosedException   if the journal is closed.
     */
    public void truncateAfter(final long sequence)
    {
        snapshotKeeper.checkTruncation(sequence);
        history.truncateAfter(sequence, appender::exclusively);
    }

    /**
     * Goes on in a new segment, so that all records so far can be pruned once the next one is there. Does nothing if
     * the newest segment was begun since the journal was opened or cut, and has no record yet. To be called by whom
     * {@link #truncateAfter(long)} may be called by.
     *
     * @throws JournalFullException   if there is no space for it; nothing was changed.
     * @throws IllegalStateException  if a claim is open.
     * @throws JournalException       if it could not be made or storage failed, as when appending.
     * @throws JournalClosedException if the journal is closed.
     */
    public void roll()
    {
        try
        {
            appender.exclusively(() ->
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
     * @return its sequence, or, while there is none, that of the record to come.
     */
    public long firstSequence()
    {
        return history.firstSequence();
    }

    /**
     * The newest record that is appended.
     *
     * @return its sequence; one less than {@link #firstSequence()} while there is none.
     */
    public long lastSequence()
    {
        return positions.appendedSequence();
    }

    /**
     * The newest record that is written, and outlives this process.
     *
     * @return its sequence.
     */
    public long writtenSequence()
    {
        return positions.writtenSequence();
    }

    /**
     * The newest record that is forced, and survives a loss of power.
     *
     * @return its sequence.
     */
    public long forcedSequence()
    {
        return positions.forcedSequence();
    }

    /**
     * The cursor of a name, made if there is none: a new one is before the oldest record.
     *
     * @param name of the cursor: 1 to 100 letters A-Z and a-z, digits, dots, underscores and hyphens, not beginning
     *             with a dot.
     * @return the cursor: the same for the same name, until it is deleted.
     * @throws IllegalArgumentException   if there can be no such name.
     * @throws CorruptJournalException    if its file cannot be used; {@link #deleteCursor(String)} lets it begin again.
     * @throws UnsupportedFormatException if its file is of a newer format.
     * @throws JournalFullException       if there is no space for a new one; nothing is left of it.
     * @throws JournalException           if a new one cannot be made, or storage failed before.
     * @throws JournalClosedException     if the journal is closed.
     */
    public JournalCursor cursor(final String name)
    {
        final CursorFile file = cursors.get(name);
        return cursorHandles.compute(
            name, (key, handle) -> null != handle && file == handle.file() ? handle : new JournalCursor(cursors, file));
    }

    /**
     * Names of all cursors there are, also of those whose file cannot be used.
     *
     * @return the names in order, as of now.
     */
    public List<String> cursorNames()
    {
        return cursors.files().names();
    }

    /**
     * Deletes a cursor, also one whose file cannot be used: it is forgotten and holds back no retention. On return that
     * survives a loss of power.
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
     * Snapshots of the application's state, with which a start need not replay all history.
     *
     * @return the snapshots: always the same object.
     */
    public Snapshots snapshots()
    {
        return snapshots;
    }

    /**
     * Copies the journal to another directory, in which it can be opened with any backend. The copy holds everything
     * that was appended before the call, and perhaps some of what is appended meanwhile; it has the cursors as well,
     * except those that cannot be used, and none is ahead of its records, and the snapshots, except corrupt ones. Each
     * record and snapshot is verified on the way. On return the copy survives a loss of power.
     * <p>
     * Appending, forcing and reading go on meanwhile; what drops or cuts history, or saves a snapshot, waits. A copy of
     * the files made by other means while the journal is open is no backup. A process that ends during the call leaves
     * files that are no journal; the next backup of this journal to the same target removes them and begins anew.
     *
     * @param target directory of the copy: empty, absent with or without those above it, or left by a backup of this
     *               journal that did not end.
     * @return sequence of the last record in the copy.
     * @throws IllegalArgumentException if anything else is in the target, it is no directory, or within this journal.
     * @throws JournalLockedException   if another backup is being made there.
     * @throws CorruptJournalException  if a damaged record was met.
     * @throws JournalFullException     if there is no space for the copy.
     * @throws JournalException         if storage failed before, or the copy cannot be made.
     * @throws JournalClosedException   if the journal is closed, now or meanwhile. Whatever is thrown, nothing is left
     *                                  of the copy.
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
     * @return position in bytes behind the last frame that is appended.
     */
    public long endPosition()
    {
        return positions.appendedPosition();
    }

    /**
     * Up to where the journal is forced, for diagnostics.
     *
     * @return position in bytes.
     */
    public long forcedPosition()
    {
        return positions.forcedPosition();
    }

    /**
     * Where the journal's ends are, how many segments it has, and what its forces take, as values of the moment. Other
     * processes see them by {@link ReadOnlyJournal#counters()}. After closing they stay.
     *
     * @return the counters: always the same object.
     */
    public JournalCounters counters()
    {
        return counters;
    }

    /**
     * Where the journal is.
     *
     * @return its directory, as it was given.
     */
    public Path path()
    {
        return path;
    }

    /**
     * Length of each file.
     *
     * @return length in bytes.
     */
    public int segmentLength()
    {
        return identity.segmentLength;
    }

    /**
     * What opening found.
     *
     * @return the report.
     */
    public RecoveryReport recoveryReport()
    {
        return recoveryReport;
    }

    /**
     * The background agent, to be invoked by the caller if the journal was built without a thread for it. Its
     * {@link Agent#doWork()} is for one thread at a time. What is left undone without it:
     * {@link JournalBuilder#companionThread}.
     *
     * @return the background agent.
     * @throws IllegalStateException if the journal has a thread for it.
     */
    public Agent companion()
    {
        if (null != agentRunner)
        {
            throw new IllegalStateException("the background agent has a thread of its own");
        }

        return agent;
    }

    /**
     * Whether the journal was closed.
     *
     * @return true once {@link #close()} was called.
     */
    public boolean isClosed()
    {
        return latch.isClosed();
    }

    /**
     * Closes the journal: refuses new records, aborts an open claim, forces what is appended and gives up the lock. May
     * be called twice, and by another thread than the appending one; then it waits until that thread has ended what it
     * is appending. If that thread holds a claim, files and lock are kept until it closes the claim. Readers stay open
     * until they are closed.
     *
     * @throws JournalException if the rest could not be forced, or storage failed before and only the error handler was
     *                          told; all is released nevertheless.
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
        // First of all: a target that cannot be one is the caller's mistake, and changes nothing.
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
     * Does something while nothing is dropped or cut.
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
     * @throws IllegalArgumentException if something else than a directory is there.
     */
    static void checkDirectory(final Path path) throws IOException
    {
        // A link that leads nowhere is something else, too.
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

    private void start(final Recovery.Result recovered, final boolean isMapped) throws IOException
    {
        final Segment segment = openToWrite(recovered.ordinal);
        try
        {
            allocate(segment, recovered, isMapped);
            if (recovered.isNew)
            {
                segment.file.warm();
            }
            allocator.recycleFrom(isMapped ? lock.allocatedFrom() : 0);
            allocator.start(recovered.ordinal + 1, recovered.isNextThere);
            segment.firstSequence(recovered.nextSequence);
            tail.start(segment, recovered.offset, recovered.nextSequence, identity.state.epoch);
            // The mark at the end is on the device before anything can follow it.
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
     * Allocates on the device the unwritten part of the newest segment, and of one that is prepared, unless it is known
     * to be allocated. A tool that restored the files may have made holes of zeros, and a store to a mapped hole of a
     * full device ends the process.
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
     * The oldest record that somebody has still to read.
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
            monitor.refresh();
        }
        final boolean isDropped = history.retain(retention, this::oldestNeeded, clock);
        // Only now: the handler may do with the journal what it likes, and wait for others who do.
        cursors.tellObstacle(errorHandler);
        return isDropped;
    }

    /**
     * A check that cannot be made is reported once, and made again in the next round.
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
     * Whether the one that closes has to wait for the calling thread: called by a listener, or an error handler.
     */
    private boolean isClosingItself()
    {
        return Thread.currentThread() == closer || listeners.isTelling() ||
            null != agentRunner && agentRunner.isCurrentThread();
    }

    private void closeOnce()
    {
        // Who met the failure was told, unless it was the background agent. What fails from here on is told here as
        // well.
        final boolean wasTold = latch.isFailed() && latch.isTold();
        latch.close();
        boolean isFree = true;
        try
        {
            // Under a periodic policy nobody else forces for them any more.
            forcer.wakeWaiters();
            if (null != agentRunner)
            {
                agentRunner.stop();
            }
            isFree = finishAppending();
            if (!wasTold)
            {
                latch.checkStorage();
                finish(isFree);
            }
            agent.tellForced();
        }
        finally
        {
            if (isFree)
            {
                giveUpFiles();
            }
            giveUpFiles();
        }
    }

    /**
     * Called by the one that closes and by the one that holds a claim meanwhile: the last releases what they use.
     */
    private void giveUpFiles()
    {
        if (0 == fileUsers.decrementAndGet())
        {
            history.finish();
            CloseHelper.closeAll(cursors, allocator, forcer, lock);
        }
    }

    private boolean finishAppending()
    {
        appender.sharing.lock();
        try
        {
            return appender.finish(this::giveUpFiles);
        }
        finally
        {
            appender.sharing.unlock();
        }
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
     * @return what to throw once all is forced, if it cannot be known whether the journal is still this writer's.
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

    private int largestRecord()
    {
        return Math.min(
            FrameHeader.MAX_RECORD_LENGTH,
            identity.segmentLength - SegmentHeader.LENGTH - FrameHeader.MARK_LENGTH - FrameHeader.LENGTH);
    }
}
