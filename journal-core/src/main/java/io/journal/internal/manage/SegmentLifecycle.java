// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalReader;
import io.journal.Retention;
import io.journal.internal.control.Control;
import io.journal.internal.control.ControlState.Saved;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Block;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.observe.Log;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.RecordWalk;
import io.journal.internal.read.SegmentIndex;
import io.journal.internal.segment.FrameCursor;
import io.journal.internal.segment.Window;
import io.journal.internal.write.DurabilityListener;
import io.journal.internal.write.ExclusiveChange;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentSupply;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * The journal's range, and the lock under which it changes, one change at a time. Prune and retention drop segments at
 * the oldest end; truncation cuts records at the newest end. Thread-safe. Normative text: {@code docs/format.md},
 * "Pruning".
 */
public final class SegmentLifecycle
{
    private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(1);
    // How long something may hold retention back before that is logged.
    private static final long PATIENCE_MS = TimeUnit.MINUTES.toMillis(1);
    private static final long RETENTION_INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(900);
    // The newest segment, and the segment before it while the newest is filled.
    private static final long MIN_SEGMENTS = 2;

    private final SegmentStore store;
    private final Control control;
    private final Layout layout;
    private final ReadSource source;
    private final ReaderGate readers;
    private final Positions positions;
    private final TailWriter tail;
    private final SegmentSupply supply;
    private final Forcer forcer;
    private final DurabilityListener listener;
    private final Cursors cursors;
    private final SnapshotLifecycle snapshots;
    private final FailureLatch latch;
    private final LongSupplier randoms;
    private final Retention retention;
    private final EpochClock clock;
    // Serializes prune, retain, truncateAfter, and the actions of backups and snapshots.
    private final OrderedLock lock;
    // Whether the lock is held by a prune or by retention, which never wait for an appender.
    private volatile boolean isDropping;
    // Newest ordinal when retention was last applied, and time at which it is due again.
    private volatile long retainedOrdinal = -1;
    private volatile long nextRetentionNs;
    // Since when retention keeps more than it should, and a warning of that, once it has lasted and until it is logged.
    private long heldBackSinceMs = Long.MAX_VALUE;
    private boolean isHeldBackKnown;
    private final AtomicReference<String> heldBackWarning = new AtomicReference<>();
    // The first segment before the start whose file may still be there. Guarded by the lock.
    private long undropped = Long.MAX_VALUE;

    /**
     * @param lock of the level {@link OrderedLock.Level#MANAGE}.
     */
    public SegmentLifecycle(
        final OrderedLock lock,
        final SegmentStore store,
        final Control control,
        final ReadSource source,
        final ReaderGate readers,
        final Positions positions,
        final TailWriter tail,
        final SegmentSupply supply,
        final Forcer forcer,
        final DurabilityListener listener,
        final Cursors cursors,
        final SnapshotLifecycle snapshots,
        final FailureLatch latch,
        final LongSupplier randoms,
        final Retention retention,
        final EpochClock clock)
    {
        this.lock = lock;
        this.store = store;
        this.control = control;
        layout = new Layout(source.segmentLength());
        this.source = source;
        this.readers = readers;
        this.positions = positions;
        this.tail = tail;
        this.supply = supply;
        this.forcer = forcer;
        this.listener = listener;
        this.cursors = cursors;
        this.snapshots = snapshots;
        this.latch = latch;
        this.randoms = randoms;
        this.retention = retention;
        this.clock = clock;
    }

    public History history()
    {
        return control.history();
    }

    public long firstSequence()
    {
        return history().startSequence;
    }

    /** Drops the segments whose records are all below a sequence, and returns the first sequence that is left. */
    public long prune(final long sequence)
    {
        lock.lock();
        try
        {
            latch.check();
            if (sequence < 1 || sequence > positions.appendedSequence() + 1)
            {
                throw history().outside(sequence, positions.appendedSequence());
            }
            isDropping = true;
            dropRest();
            if (sequence > firstSequence())
            {
                dropBelow(sequence);
            }
            return firstSequence();
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot prune: sequence=" + sequence + "; cause=" + ex, ex);
        }
        finally
        {
            isDropping = false;
            lock.unlock();
            positions.wakeAll();
        }
    }

    /** Prunes, except records that a cursor has not passed. Runs in {@link #exclusively}. */
    public long pruneBelowCursors(final long sequence)
    {
        // Excludes creating a cursor or moving one back until the older segments are dropped.
        return control.exclusively(() -> prune(Math.min(sequence, cursors.oldestNeeded())));
    }

    /**
     * Drops the segments that retention does not keep, and returns whether it dropped any. Does nothing while another
     * change is in progress. For the background agent.
     */
    public boolean retain() throws IOException
    {
        if (retention.isNone() || !isRetentionDue() || !lock.tryLock())
        {
            return false;
        }

        isDropping = true;
        try
        {
            return latch.isOpen() && dropUnkept(clock.time());
        }
        finally
        {
            isDropping = false;
            lock.unlock();
            positions.wakeAll();
        }
    }

    /**
     * As {@link #retain}, for the appending thread. Runs even shortly after the last call, since more may be durable,
     * and waits for a change in progress: without limit while segments are being dropped, otherwise briefly, since a
     * truncation waits for the appending thread.
     *
     * @return position where the journal begins, see {@link SegmentSupply.Retaining}.
     */
    public long retainNow() throws IOException
    {
        if (retention.isNone() || !lockInTime())
        {
            return SegmentSupply.Retaining.NOT_APPLIED;
        }

        try
        {
            if (latch.isOpen())
            {
                dropUnkept(clock.time());
            }
            // Read under the lock, so that the segments before it are deleted.
            return history().startPosition;
        }
        finally
        {
            lock.unlock();
        }
    }

    /** Takes the lock; returns whether that succeeded, see {@link #retainNow}. */
    private boolean lockInTime()
    {
        boolean isLocked;
        do
        {
            isLocked = lock.tryLock(MAX_WAIT_NS);
        }
        while (!isLocked && isDropping);
        return isLocked;
    }

    private void dropBelow(final long sequence) throws IOException
    {
        // Records that wait in the write window may be the first of the newest segment: write them, so that it counts.
        tail.writeUpTo(positions.appendedPosition());
        final long ordinal = ordinalOf(sequence, newestOrdinal());
        // A segment must not be dropped while its fsync is pending. Fsync only these, because a stream completes more
        // all the time.
        while (forcer.forceComplete(ordinal))
        {
            latch.check();
        }
        startAt(ordinal);
    }

    /**
     * Whether retention may have something to drop. Only a roll adds a segment, but time passes and cursors advance
     * without one. Needs no lock.
     */
    private boolean isRetentionDue()
    {
        return newestOrdinal() != retainedOrdinal || System.nanoTime() - nextRetentionNs >= 0;
    }

    private boolean dropUnkept(final long nowMs) throws IOException
    {
        dropRest();
        final long newest = newestOrdinal();
        final long added = retainedOrdinal < 0 ? 0 : Math.max(0, newest - retainedOrdinal);
        retainedOrdinal = newest;
        nextRetentionNs = System.nanoTime() + RETENTION_INTERVAL_NS;
        final long ordinal = oldestKept(nowMs, newest, added);
        if (ordinal <= firstOrdinal())
        {
            heldBack(0, false, nowMs);
            return false;
        }

        final long bySnapshots = snapshots.firstNeeded();
        // Excludes creating a cursor or moving one back until the older segments are dropped.
        return control.exclusively(() ->
        {
            final long byCursors = retention.isRespectingCursors() ? cursors.oldestNeeded() : Long.MAX_VALUE;
            final long kept = firstNeeded(Math.min(byCursors, bySnapshots), ordinal, newest);
            heldBack((ordinal - kept) * layout.segmentLength, bySnapshots < byCursors, nowMs);
            return startAt(kept);
        });
    }

    /** Notes how many bytes retention keeps only for the snapshots, or for a consumer that has not passed them. */
    private void heldBack(final long bytes, final boolean isBySnapshots, final long nowMs)
    {
        if (0 == bytes)
        {
            heldBackSinceMs = Long.MAX_VALUE;
            isHeldBackKnown = false;
        }
        else if (nowMs < heldBackSinceMs)
        {
            // Reset also if the clock was set back: it may have been wrong when the wait began.
            heldBackSinceMs = nowMs;
        }
        else if (!isHeldBackKnown && nowMs - heldBackSinceMs >= PATIENCE_MS)
        {
            isHeldBackKnown = true;
            heldBackWarning.set(isBySnapshots ? snapshotsWarning(bytes) : cursorWarning(bytes));
        }
    }

    private String snapshotsWarning(final long bytes)
    {
        return "snapshots hold back retention: journal=" + latch.journal() + ", bytes=" + bytes +
            "; save a newer one; if the application saves none any more, close the journal and move the directory " +
            "snapshots away";
    }

    private String cursorWarning(final long bytes)
    {
        final Map.Entry<String, Saved> last = control.state().cursors().entrySet().stream()
            .min(Comparator.comparingLong((cursor) -> cursor.getValue().sequence())).orElseThrow();
        return "a consumer holds back retention: journal=" + latch.journal() + ", cursor=" + last.getKey() +
            ", sequence=" + last.getValue().sequence() + ", bytes=" + bytes +
            "; if it is gone for good, delete its cursor";
    }

    /**
     * Logs a consumer or snapshots that have held retention back for a minute. Called without a lock, because the
     * application's logger may use the journal.
     */
    public void reportObstacle()
    {
        final String warning = heldBackWarning.getAndSet(null);
        if (null != warning)
        {
            Log.warn(warning, null);
        }
    }

    /**
     * @param added how many segments the journal has gained since retention was last applied.
     */
    private long oldestKept(final long nowMs, final long newest, final long added) throws IOException
    {
        long ordinal = firstOrdinal();
        if (Long.MAX_VALUE != retention.maxBytes())
        {
            ordinal = oldestOf(Math.max(MIN_SEGMENTS, retention.maxBytes() / layout.segmentLength), newest);
        }
        if (Long.MAX_VALUE != retention.maxAgeMs())
        {
            // Drops at most one segment more than were added: enough to catch up, while a clock that is wrong for a
            // moment costs little.
            final long limit = Math.min(newest, firstOrdinal() + added + 1);
            while (ordinal < limit && nowMs - endMs(ordinal, newest, nowMs) >= retention.maxAgeMs())
            {
                ordinal++;
            }
        }

        return Math.min(ordinal, layout.ordinal(positions.forcedPosition()));
    }

    /** The oldest of the newest count segments. Wholly truncated segments are skipped, because they take no space. */
    private long oldestOf(final long count, final long newest)
    {
        final History history = history();
        long left = count - 1;
        long ordinal = newest;
        while (left > 0 && ordinal > firstOrdinal())
        {
            ordinal--;
            left -= history.isDead(layout.position(ordinal, 0), layout.segmentLength) ? 0 : 1;
        }
        return ordinal;
    }

    /**
     * Time at which the next segment was started, at the latest. The clock may have been wrong for a moment, so a time
     * later than now is ignored, because a segment is older than the segments after it; and no segment ends before it
     * was started.
     */
    private long endMs(final long ordinal, final long newest, final long nowMs) throws IOException
    {
        long endMs = mark(ordinal + 1).timeMs();
        for (long distance = 2; endMs > nowMs && ordinal + distance / 2 < newest; distance *= 2)
        {
            endMs = mark(Math.min(newest, ordinal + distance)).timeMs();
        }
        if (nowMs - endMs > 0)
        {
            final long startMs = startMs(ordinal);
            return startMs <= nowMs ? Math.max(startMs, endMs) : endMs;
        }

        return endMs;
    }

    private long startMs(final long ordinal) throws IOException
    {
        try
        {
            return mark(ordinal).timeMs();
        }
        catch (final CorruptJournalException ex)
        {
            // A reader reports the damage, which must not keep the segment from being dropped.
            return Long.MIN_VALUE;
        }
    }

    private SegmentIndex.FirstMark mark(final long ordinal) throws IOException
    {
        try (FrameCursor cursor = cursor())
        {
            return source.index().firstMark(ordinal, history(), cursor);
        }
    }

    /** The segment of the first record that is still needed, at most the given segment. */
    private long firstNeeded(final long needed, final long ordinal, final long newest) throws IOException
    {
        if (Long.MAX_VALUE == needed)
        {
            return ordinal;
        }

        return needed <= history().startSequence ? firstOrdinal() : Math.min(ordinal, ordinalOf(needed, newest));
    }

    private long ordinalOf(final long sequence, final long newest) throws IOException
    {
        try (FrameCursor cursor = cursor())
        {
            return source.index().find(
                SegmentIndex.Key.SEQUENCE, sequence, firstOrdinal(), newest, history(), cursor);
        }
    }

    /** Makes a segment the first one: records the new start durably, and only then drops the segments before it. */
    private boolean startAt(final long wanted) throws IOException
    {
        final long first = firstOrdinal();
        final long ordinal = history().skipDead(wanted, Long.MAX_VALUE, layout.segmentLength);
        if (ordinal <= first)
        {
            return false;
        }

        final SegmentIndex.FirstMark mark = mark(ordinal);
        // Excludes saving a cursor at a dropped record while the history still shows the record.
        control.exclusively(() ->
        {
            control.change("prune", true, (state) -> state.with(
                state.history.startingAt(layout.position(ordinal, 0), mark.sequence(), mark.previousTerm())));
            control.publish();
            return null;
        });
        undropped = first;
        source.releaseSegments();
        drop();
        return true;
    }

    /** Drops the segments that a failed drop has left. The journal begins after them already. */
    private void dropRest() throws IOException
    {
        if (undropped < firstOrdinal())
        {
            drop();
        }
    }

    private void drop() throws IOException
    {
        // Since the new state was written, another journal may have taken the place of this one.
        control.fence.checkBefore("prune");
        // A file is recycled only if no reader is inside, since its bytes change. A reader that enters later finds the
        // records gone: it enters before it reads the state, and the new state was published before this check.
        final boolean isUnread = supply.isRecycling() && !readers.isAnyInside();
        for (; undropped < firstOrdinal(); undropped++)
        {
            if (!isUnread || !supply.recycle(undropped))
            {
                store.delete(JournalFiles.segment(undropped));
            }
        }
        control.fence.force(store);
    }

    private long firstOrdinal()
    {
        return layout.ordinal(history().startPosition);
    }

    /** The newest segment whose first watermark frame is written. */
    private long newestOrdinal()
    {
        final long written = layout.place(positions.writtenPosition());
        final Cut newest = history().newest();
        // While nothing is written after a cut, its segments have no watermark frame.
        final long end = newest.to() == written ? newest.from() : written;
        return Math.max(firstOrdinal(), layout.ordinal(end - SegmentHeader.LENGTH - 1));
    }

    private static FrameCursor cursor()
    {
        return new FrameCursor(Window.copying(Block.LENGTH));
    }

    /**
     * Truncates the records after a sequence. Their bytes stay in place, because readers inside a poll may see them;
     * appending continues after them.
     *
     * @param appenders excludes appends meanwhile.
     */
    public void truncateAfter(final long sequence, final ExclusiveChange.Gate appenders)
    {
        lock.lock();
        try
        {
            appenders.exclusively(() ->
            {
                latch.check();
                history().checkRange(sequence, positions.appendedSequence());
                checkSnapshots(sequence);
                truncate(sequence);
            });
        }
        catch (final IOException ex)
        {
            throw new JournalException("cannot truncate: sequence=" + sequence + "; cause=" + ex, ex);
        }
        catch (final InternalError ex)
        {
            // A page of a mapped segment cannot be read.
            throw latch.fail(ex).exception("truncate", ex);
        }
        finally
        {
            lock.unlock();
            positions.wakeAll();
        }
    }

    /**
     * Throws if a snapshot would be ahead of the journal. No snapshot gets its name meanwhile, because that takes the
     * lock; a save in progress finds the records truncated. Readers may be waiting for the truncation, so this takes no
     * lock of the snapshots.
     */
    private void checkSnapshots(final long sequence) throws IOException
    {
        final List<SnapshotFile> files = snapshots.list();
        if (!files.isEmpty() && files.get(0).sequence() > sequence)
        {
            throw new IllegalStateException(
                "a snapshot contains records that are to be truncated: snapshot=" + files.get(0).sequence() +
                    ", sequence=" + sequence + "; nothing was changed; to discard it as well, " +
                    "snapshots().discardAfter(" + sequence + ") first");
        }
        // A power loss must not bring back a newer one that an earlier process deleted after a failed save.
        snapshots.forceNames();
    }

    private void truncate(final long sequence) throws IOException
    {
        // Makes all remaining records durable, so that the new term may be named, and also the watermark frame of a
        // segment that a failed append has begun.
        tail.publish();
        forcer.force();
        if (sequence < positions.appendedSequence())
        {
            final long position = positionOf(sequence + 1);
            final long term = source.terms().of(sequence);
            // Excludes saving a cursor at a record that is about to be truncated.
            control.exclusively(() ->
            {
                forcer.exclusively(() -> cut(position, sequence, term));
                return null;
            });
            unlinkDead(position);
        }
    }

    private long positionOf(final long sequence) throws IOException
    {
        try (RecordWalk walk = new RecordWalk(source, JournalReader.Limit.WRITTEN))
        {
            walk.seek().toVerified(sequence);
            if (walk.isInBatch())
            {
                throw new IllegalArgumentException(
                    "record is in the middle of a batch, which stays whole: sequence=" + sequence);
            }

            return layout.place(walk.position());
        }
    }

    private void cut(final long position, final long sequence, final long term)
    {
        final long nextTerm = Term.next(randoms);
        // The truncation. From here on an opening finds the records gone, and the log continues after them.
        control.change("truncate", true, (state) -> state.truncated(
            state.history.begin(nextTerm, position, tail.nextBegin(), sequence + 1, term), sequence, term));
        try
        {
            // Moves the ends first: no reader may look for a record that its history does not have.
            tail.restart(control.state().history.newest());
            control.publish();
            listener.truncatedAfter(sequence);
            tail.putBegin();
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("truncate", ex);
        }
    }

    /** Deletes segments that no longer hold a part of the log. If that fails, the next opening deletes them. */
    private void unlinkDead(final long position)
    {
        try
        {
            control.fence.check();
            final int segmentLength = source.segmentLength();
            final Cut cut = history().newest();
            // The segment of the tail stays, even if the tail is at its end.
            final long end = (positions.appendedPosition() - 1) / segmentLength;
            source.releaseSegments();
            for (long ordinal = Math.max(0, position / segmentLength - 1);
                ordinal < Math.min(end, cut.to() / segmentLength); ordinal++)
            {
                if (history().isDead(ordinal * segmentLength, segmentLength))
                {
                    store.delete(JournalFiles.segment(ordinal));
                    supply.spaceFreed();
                }
            }
        }
        catch (final IOException | OutOfMemoryError ex)
        {
            Log.warn("cannot delete a truncated segment: journal=" + latch.journal(), ex);
        }
    }

    /** Runs an action while nothing is pruned or truncated. */
    public <T, E extends Exception> T exclusively(final OrderedLock.Action<T, E> action) throws E
    {
        return lock.locked(action);
    }
}
