// SPDX-License-Identifier: Apache-2.0
package io.journal.internal;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

import io.journal.Checkpoint;
import io.journal.Journal;
import io.journal.JournalAppender;
import io.journal.JournalCounters;
import io.journal.JournalCursor;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.RecordHandler;
import io.journal.RecoveryReport;
import io.journal.Snapshots;
import io.journal.internal.control.Control;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.WriterFence;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.manage.Backup;
import io.journal.internal.manage.Cursors;
import io.journal.internal.manage.SegmentLifecycle;
import io.journal.internal.manage.SnapshotLifecycle;
import io.journal.internal.read.LiveSource;
import io.journal.internal.read.Reader;
import io.journal.internal.read.VerifiedSegments;
import io.journal.internal.recover.Recovery;
import io.journal.internal.segment.Window;
import io.journal.internal.write.AgentRunner;
import io.journal.internal.write.AppendPath;
import io.journal.internal.write.BackgroundAgent;
import io.journal.internal.write.Callbacks;
import io.journal.internal.write.DurabilityListener;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.LocalAppender;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentFactory;
import io.journal.internal.write.SegmentSupply;
import io.journal.internal.write.TailWindow;
import io.journal.internal.write.TailWriter;
import io.journal.store.Backend;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.Agent;
import org.agrona.concurrent.EpochClock;

/**
 * A journal open for writing: wires its parts, and runs the operations that take several of them. {@link Opening} makes
 * it.
 */
public final class Engine implements Journal
{
    private static final int DEFAULT_WINDOW_LENGTH = 64 * 1024;
    private static final int FORCING = 0;
    private static final int FILLING = 1;
    // Retention is applied at intervals, because cursors advance and segments age.
    private static final long RETENTION_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long CHECK_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(50);

    final Path path;
    public final Recovery recovered;
    public final FailureLatch latch;
    public final Positions positions;
    public final Forcer forcer;
    public final AppendPath appendPath;
    public final LiveSource source;
    public final VerifiedSegments verification;
    public final SegmentLifecycle history;
    public final Cursors cursors;
    public final SnapshotLifecycle snapshots;

    final SegmentStore store;
    final DirectoryLock lock;
    final WriterFence fence;
    final Control control;
    final SegmentSupply supply;
    final TailWindow tailWindow;
    final TailWriter tail;
    final Layout layout;
    final DurabilityListener listener;
    final BackgroundAgent agent;
    // Empty if the application runs the agent.
    final List<AgentRunner> runners;
    final ErrorHandler errorHandler;
    private final Callbacks callbacks;
    final EpochClock clock;
    final boolean isRecycling;

    private final JournalAppender appender;
    private final JournalAppender sharedAppender;
    private final JournalCounters counters = new Counters(this);
    private final AtomicReference<Thread> closer = new AtomicReference<>();
    private final CountDownLatch ended = new CountDownLatch(1);
    // Confined to the background agent: when to check the fence again, and whether the last check threw.
    private long nextCheckNs = System.nanoTime();
    private boolean isFenceUnknown;
    // Confined to the closing thread: whether the files are closed.
    private boolean isReleased;

    Engine(
        final Settings settings,
        final SegmentStore store,
        final DirectoryLock lock,
        final Recovery recovered) throws IOException
    {
        path = settings.path;
        latch = new FailureLatch(settings.name());
        verification = new VerifiedSegments(settings.verification);
        this.store = store;
        this.lock = lock;
        this.recovered = recovered;
        final UUID uuid = recovered.content.uuid();
        final int segmentLength = recovered.content.segmentLength();
        layout = new Layout(segmentLength);
        callbacks = new Callbacks();
        errorHandler = callbacks.errorHandler(settings.errorHandler());
        clock = settings.clock;

        // The append path, bottom-up.
        final int writeWindow = settings.writeWindow();
        final Window window = Window.of(store, writeWindow > 0 ? writeWindow : DEFAULT_WINDOW_LENGTH);
        final boolean isMapped = window.isMapped();
        isRecycling = settings.isRecycling;
        final boolean isBatching = writeWindow > 0 && !isMapped;
        positions = new Positions(isMapped);
        fence = new WriterFence(lock, recovered.control, latch);
        control = new Control(recovered.control, fence);
        forcer = new Forcer(positions, recovered.control, settings.forcePolicy, latch, fence, store, isBatching);
        supply = new SegmentSupply(
            new SegmentFactory(store, uuid, segmentLength, settings.randoms, clock, fence), forcer, positions,
            fence, latch, this::retainNow, () -> wake(FILLING), () -> wake(FORCING));
        tailWindow = new TailWindow(window, !isBatching && !isMapped, positions, latch, fence);
        tail = new TailWriter(tailWindow, supply, forcer, clock, this::onRoll);
        appendPath = new AppendPath(
            tail, forcer, latch, settings.forcePolicy, settings.maxRecordLength, segmentLength);

        appender = new LocalAppender(appendPath, false);
        sharedAppender = new LocalAppender(appendPath, true);
        listener = new DurabilityListener(latch, positions::forcedSequence, errorHandler);

        // Existing records, and the operations on them.
        source = new LiveSource(
            store, uuid, segmentLength, control::history, positions, latch, tail, this::hasEnded);
        cursors = new Cursors(control, positions, forcer, source.terms(), latch);
        final OrderedLock manage = new OrderedLock(OrderedLock.Level.MANAGE, latch);
        snapshots = new SnapshotLifecycle(
            store, manage, this::pruneBelowCursors, source, positions, forcer, fence, latch, errorHandler);
        history = new SegmentLifecycle(
            manage, store, control, source, source.readers, positions, tail, supply, forcer, listener, cursors,
            snapshots, latch, settings.terms, settings.retention, clock);

        final boolean isThreaded = settings.isBackgroundThreaded;
        // Fills in its own agent, so that the thread that writes zeros is not the thread that fsyncs.
        final BackgroundAgent filling = new BackgroundAgent(latch, errorHandler, supply::prepare);
        agent = new BackgroundAgent(
            latch,
            errorHandler,
            isThreaded ? () -> false : supply::prepare,
            tailWindow::writeWaiting,
            forcer::forcePeriodically,
            listener::notifyIfBehind,
            supply::makeAhead,
            supply::forceComplete,
            this::keepHouse);
        runners = !isThreaded ? List.of() : List.of(
            new AgentRunner(agent, forcer.wakeup(),
                settings.retention.isNone() ? AgentRunner.MAX_REST_NS : RETENTION_NS),
            new AgentRunner(filling, null, AgentRunner.MAX_REST_NS));
        callbacks.agents(agent, filling);
        forcer.agent(agent::isCurrentThread);
    }

    /**
     * @param mayCreate whether a journal is created if there is none.
     */
    public static Engine open(final Settings settings, final boolean mayCreate)
    {
        return Opening.open(settings, mayCreate);
    }

    @Override
    public JournalAppender appender()
    {
        appendPath.share(false);
        return appender;
    }

    @Override
    public JournalAppender sharedAppender()
    {
        appendPath.share(true);
        return sharedAppender;
    }

    @Override
    public JournalReader openReader(final JournalReader.Limit limit)
    {
        latch.check();
        return Reader.open(source, limit, verification, null, null);
    }

    @Override
    public JournalReader openReader(final Checkpoint checkpoint, final JournalReader.Limit limit)
    {
        Objects.requireNonNull(checkpoint, "checkpoint");
        latch.check();
        return Reader.open(source, limit, verification, () -> checkpoint, null);
    }

    @Override
    public JournalReader openReader(final JournalCursor cursor, final JournalReader.Limit limit)
    {
        latch.check();
        final Cursors.Cursor own = cursors.own(cursor);

        return Reader.open(source, limit, verification, own::saved, own::save);
    }

    @Override
    public int get(final long first, final int limit, final RecordHandler handler)
    {
        return source.lookups.get(first, limit, handler);
    }

    @Override
    public Path path()
    {
        return path;
    }

    @Override
    public long firstSequence()
    {
        return history.firstSequence();
    }

    @Override
    public long lastSequence()
    {
        return positions.appendedSequence();
    }

    @Override
    public long writtenSequence()
    {
        return positions.writtenSequence();
    }

    @Override
    public long forcedSequence()
    {
        return positions.forcedSequence();
    }

    @Override
    public JournalCursor cursor(final String name)
    {
        return cursors.get(name);
    }

    @Override
    public List<String> cursorNames()
    {
        return cursors.names();
    }

    @Override
    public void deleteCursor(final String name)
    {
        cursors.delete(name);
    }

    @Override
    public Snapshots snapshots()
    {
        return snapshots;
    }

    @Override
    public JournalCounters counters()
    {
        return counters;
    }

    @Override
    public int segmentLength()
    {
        return layout.segmentLength;
    }

    @Override
    public RecoveryReport recoveryReport()
    {
        return recovered.report;
    }

    @Override
    public Agent backgroundAgent()
    {
        if (!runners.isEmpty())
        {
            throw new IllegalStateException("the background agent has a thread of its own");
        }

        return agent;
    }

    @Override
    public boolean isClosed()
    {
        return latch.isClosed();
    }

    @Override
    public long prune(final long sequence)
    {
        return history.prune(sequence);
    }

    /** Number of segments, without prepared ones. */
    long segments()
    {
        // A segment that begins at the end holds no appended record.
        final long last = layout.ordinal(positions.appendedPosition() - SegmentHeader.LENGTH - 1);
        return Math.max(0, last - layout.ordinal(history.history().startPosition)) + 1;
    }

    @Override
    public void force()
    {
        latch.check();
        forcer.force();
    }

    @Override
    public void awaitForced(final long sequence)
    {
        checkAppended(sequence);
        // Allowed while the journal is being closed, because closing forces the record as well.
        forcer.awaitForced(sequence);
    }

    @Override
    public boolean awaitForced(final long sequence, final Duration timeout)
    {
        checkAppended(sequence);
        return forcer.awaitForced(sequence, Math.max(0, TimeUnit.NANOSECONDS.convert(timeout)));
    }

    @Override
    public void onForced(final LongConsumer consumer)
    {
        Objects.requireNonNull(consumer, "listener");
        listener.register(callbacks.listener(consumer));
        forcer.onForced(this::wakeToNotify);
        // Records may have become durable meanwhile.
        wakeToNotify();
    }

    private void wakeToNotify()
    {
        if (listener.isBehind())
        {
            wake(FORCING);
        }
    }

    @Override
    public void truncateAfter(final long sequence)
    {
        history.truncateAfter(sequence, appendPath::exclusively);
    }

    @Override
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
            throw latch.fail(ex).exception("roll", ex);
        }
    }

    @Override
    public long backup(final Path target)
    {
        latch.check();
        final Path directory = Backup.check(target, path);
        return backup(directory, Backend.FILE_CHANNEL.store(directory.getParent()));
    }

    /** Backs up through the store of the target's parent directory. */
    public long backup(final Path target, final SegmentStore parent)
    {
        return snapshots.exclusively(() ->
        {
            force();
            return new Backup(store, source.uuid(), layout.segmentLength, latch, snapshots::report)
                .copyTo(target, parent, clock.time());
        });
    }

    /**
     * Closes the journal, once: refuses new records, forces the appended ones and records where it has ended, and
     * releases the files. Any thread may call it, even from a callback of the journal.
     */
    @Override
    public void close()
    {
        if (closer.compareAndSet(null, Thread.currentThread()))
        {
            try
            {
                closeOnce();
            }
            finally
            {
                if (isReleased)
                {
                    ended.countDown();
                    positions.wakeAll();
                    // Notified last, since the listener may wait for another thread that closes the journal. Also
                    // notified after a failure, because records that were durable before it still are.
                    listener.notifyIfBehind();
                }
                else
                {
                    // There is no memory. The next call closes the journal.
                    closer.set(null);
                }
            }
        }
        else if (!isClosingItself())
        {
            awaitEnd();
        }
    }

    private void closeOnce()
    {
        latch.close();
        boolean isQuiet = false;
        try
        {
            // Under a periodic policy no other thread forces for the waiters any more.
            forcer.wakeWaiters();
            runners.forEach(AgentRunner::stop);
            appendPath.close();
            isQuiet = true;
            finishOrFail();
        }
        finally
        {
            // If an error came before, an appender may still be storing into a mapped file, so the files stay open.
            if (isQuiet)
            {
                releaseFiles();
                isReleased = true;
            }
        }
    }

    private void finishOrFail()
    {
        try
        {
            finish();
        }
        catch (final Error ex)
        {
            // A mapped file was cut short, or there is no memory: readers must no longer cause the remaining records to
            // be written, since the files are closed now.
            throw latch.fail(ex).exception("close", ex);
        }
    }

    private void finish()
    {
        latch.checkStorage();
        IOException unknown = null;
        try
        {
            fence.check();
        }
        catch (final IOException ex)
        {
            // Thrown once everything is forced.
            unknown = ex;
        }
        // A refused append may have left padding and a watermark frame in the files, which an opening will find.
        tail.publish();
        forcer.force();
        if (null != unknown)
        {
            throw new JournalException(
                "closed, but it cannot be known whether the files are still the journal's: path=" + path +
                    "; cause=" + unknown,
                unknown);
        }
        control.change("close", false, (state) -> state.closed(new ControlState.End(
            layout.place(positions.forcedPosition()), positions.forcedSequence() + 1)));
    }

    private void releaseFiles()
    {
        // Waits for a change in progress. Once the journal is closed, no other change follows.
        history.exclusively(() -> control.exclusively(() -> null));
        // After a failure a reader may be writing appended records, in order to read them.
        tailWindow.awaitWrite();
        source.closeSegments();
        tail.release();
        CloseHelper.closeAll(supply, forcer, lock);
    }

    /** Whether the calling thread is closing already, or the closing thread may be waiting for it. */
    private boolean isClosingItself()
    {
        return Thread.currentThread() == closer.get() || listener.isNotifying() ||
            runners.stream().anyMatch(AgentRunner::isCurrentThread);
    }

    private void awaitEnd()
    {
        boolean wasInterrupted = false;
        while (!hasEnded() && null != closer.get())
        {
            try
            {
                ended.await(1, TimeUnit.SECONDS);
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

    private boolean hasEnded()
    {
        return 0 == ended.getCount();
    }

    /** The background agent's work for the journal as a whole: checks the fence, applies retention. */
    private boolean keepHouse() throws IOException
    {
        final long nowNs = System.nanoTime();
        if (nowNs - nextCheckNs >= 0)
        {
            nextCheckNs = nowNs + CHECK_INTERVAL_NS;
            checkFence();
        }
        final boolean isDropped = history.retain();
        history.reportObstacle();
        return isDropped;
    }

    /** Reports a check that fails with an I/O error once, and retries it in the next round. */
    private void checkFence()
    {
        try
        {
            fence.check();
            isFenceUnknown = false;
        }
        catch (final IOException ex)
        {
            // If a thread of the application runs this while the journal is closed, the file is gone: no error.
            if (!isFenceUnknown && latch.isOpen())
            {
                isFenceUnknown = true;
                errorHandler.onError(
                    new JournalException("cannot check the writer's lock: path=" + path + "; cause=" + ex, ex));
            }
        }
    }

    @Override
    public String toString()
    {
        return "Journal{path=" + path + ", lastSequence=" + lastSequence() + ", forcedSequence=" + forcedSequence() +
            ", isClosed=" + isClosed() + '}';
    }

    private long pruneBelowCursors(final long sequence)
    {
        return history.pruneBelowCursors(sequence);
    }

    private long retainNow() throws IOException
    {
        return history.retainNow();
    }

    private void onRoll()
    {
        wake(FORCING);
        supply.rolled();
    }

    private void wake(final int runner)
    {
        if (!runners.isEmpty())
        {
            runners.get(runner).wake();
        }
    }

    private void checkAppended(final long sequence)
    {
        // 0 is the last sequence of an empty journal, and durable.
        if (sequence < 0 || sequence > positions.appendedSequence())
        {
            throw new IllegalArgumentException(
                "not appended: sequence=" + sequence + ", lastSequence=" + positions.appendedSequence());
        }
    }
}
