package io.journal.internal.manage;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;

import io.journal.JournalException;
import io.journal.Retention;
import io.journal.internal.control.Control;
import io.journal.internal.control.Cut;
import io.journal.internal.control.History;
import io.journal.internal.control.Term;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.observe.Log;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.RecordWalk;
import io.journal.internal.write.DurabilityListener;
import io.journal.internal.write.ExclusiveChange;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentSupply;
import io.journal.internal.write.TailWriter;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * The journal's range, and the lock under which it changes: by {@link Pruning} at its oldest end and by
 * truncation at its newest, one change at a time. Thread-safe.
 */
public final class SegmentLifecycle
{
    private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

    /** Runs while the range does not change. */
    public interface Action<T>
    {
        T run() throws IOException;
    }

    private final SegmentStore store;
    private final Control control;
    private final ReadSource source;
    private final Positions positions;
    private final TailWriter tail;
    private final SegmentSupply supply;
    private final Forcer forcer;
    private final DurabilityListener listener;
    private final Cursors cursors;
    private final FailureLatch latch;
    private final LongSupplier randoms;
    // Excludes one another: prune, retain, truncateAfter, and the actions of backups and snapshots.
    private final OrderedLock lock;
    private final NeededBySnapshots snapshots;
    private final Pruning pruning;
    // Whether the lock is held by a prune or by retention, which never wait for an appender.
    private volatile boolean isDropping;

    public SegmentLifecycle(
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
        final FailureLatch latch,
        final LongSupplier randoms)
    {
        this.randoms = randoms;
        this.store = store;
        this.control = control;
        this.source = source;
        this.positions = positions;
        this.tail = tail;
        this.supply = supply;
        this.forcer = forcer;
        this.listener = listener;
        this.cursors = cursors;
        this.latch = latch;
        lock = new OrderedLock(LockLevel.MANAGE, latch);
        snapshots = new NeededBySnapshots(store, latch);
        pruning = new Pruning(
            store, control, source, readers, positions, tail, supply, forcer, cursors, snapshots, latch);
    }

    public History history()
    {
        return control.history();
    }

    public long firstSequence()
    {
        return history().startSequence;
    }

    /**
     * Drops the segments whose records are all below a sequence, and returns the first sequence that is left.
     */
    public long prune(final long sequence)
    {
        lock.lock();
        try
        {
            latch.check();
            checkRange(sequence, 1, positions.appendedSequence() + 1);
            if (sequence > firstSequence())
            {
                isDropping = true;
                pruning.prune(sequence);
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

    /**
     * Prunes, except what a cursor has not passed. Runs in {@link #exclusively}.
     */
    long pruneBelowCursors(final long sequence)
    {
        // Excludes creating a cursor or moving one back until the older segments are dropped.
        control.hold();
        try
        {
            final long needed = Math.min(sequence, cursors.oldestNeeded());
            return needed > firstSequence() ? prune(needed) : firstSequence();
        }
        finally
        {
            control.release();
        }
    }

    /**
     * The first record that is kept for the snapshots; {@link Long#MAX_VALUE} if there are none.
     */
    long neededBySnapshots() throws IOException
    {
        return exclusively(() -> Math.max(firstSequence(), snapshots.firstSequence()));
    }

    /**
     * Drops the segments that retention does not keep, and returns whether it dropped any. Does nothing while another
     * change is in progress. For the background agent.
     */
    public boolean retain(final Retention retention, final EpochClock clock) throws IOException
    {
        return !retention.isNone() && pruning.isRetentionDue() && lock.tryLock() && retainLocked(retention, clock);
    }

    /**
     * Does as {@link #retain}, also if that was done a moment ago, since more may be durable, and waits for a change in
     * progress: as long as segments are being dropped, else not for long, since a truncation waits for the appending
     * thread. For that thread.
     *
     * @return position where the journal begins, see {@link SegmentSupply.Retaining}.
     */
    public long retainNow(final Retention retention, final EpochClock clock) throws IOException
    {
        if (retention.isNone() || !lockInTime())
        {
            return SegmentSupply.Retaining.NOT_APPLIED;
        }

        try
        {
            if (latch.isOpen())
            {
                pruning.retain(retention, clock.time());
            }
            // Under the lock: segments before it are deleted.
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
        boolean isLocked = lock.tryLock(MAX_WAIT_NS);
        while (!isLocked && isDropping)
        {
            isLocked = lock.tryLock(MAX_WAIT_NS);
        }

        return isLocked;
    }

    private boolean retainLocked(final Retention retention, final EpochClock clock) throws IOException
    {
        isDropping = true;
        try
        {
            return latch.isOpen() && pruning.retain(retention, clock.time());
        }
        finally
        {
            isDropping = false;
            lock.unlock();
            positions.wakeAll();
        }
    }

    /**
     * Truncates the records behind a sequence. Their bytes stay where they are: readers that are inside a poll see
     * them, and appending goes on behind them.
     *
     * @param snapshotCheck throws if a snapshot contains records behind the sequence. Runs under the lock, without
     *                      which no snapshot gets its name.
     * @param appenders     are excluded from appending meanwhile.
     */
    public void truncateAfter(
        final long sequence, final LongConsumer snapshotCheck, final ExclusiveChange.Gate appenders)
    {
        lock.lock();
        try
        {
            appenders.exclusively(() ->
            {
                latch.check();
                checkRange(sequence, firstSequence() - 1, positions.appendedSequence());
                snapshotCheck.accept(sequence);
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

    private void truncate(final long sequence) throws IOException
    {
        // So that all remaining records are durable, and the term that begins may be named. Also the watermark frame of
        // a segment that an append has begun in vain.
        tail.publish();
        forcer.force();
        if (sequence < positions.appendedSequence())
        {
            final long position = positionOf(sequence + 1);
            final long term = source.terms().of(sequence);
            // Excludes saving a cursor at a record that is about to go.
            control.hold();
            try
            {
                forcer.exclusively(() -> cut(position, sequence, term));
            }
            finally
            {
                control.release();
            }
            listener.truncatedAfter(sequence);
            unlinkDead(position);
        }
    }

    /** Position of a record's frame. */
    private long positionOf(final long sequence) throws IOException
    {
        try (RecordWalk walk = new RecordWalk(source, ReadSource.End.WRITTEN))
        {
            walk.seek().toVerified(sequence);
            if (walk.isInBatch())
            {
                throw new IllegalArgumentException(
                    "record is in the middle of a batch, which stays whole: sequence=" + sequence);
            }

            return new Layout(source.segmentLength()).place(walk.position());
        }
    }

    private void cut(final long position, final long sequence, final long term)
    {
        final long nextTerm = Term.next(randoms);
        // The truncation. From here on an opening finds the records gone, and the log goes on behind them.
        control.change("truncate", true, (state) -> state.truncated(
            state.history.begin(nextTerm, position, tail.nextBegin(), sequence + 1, term), sequence, term));
        try
        {
            // The ends first: no reader may look for a record that its history does not have.
            tail.restart(control.state().history.newest());
            control.publish();
            tail.putBegin();
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("truncate", ex);
        }
    }

    /** Deletes segments that hold nothing of the log any more. If that fails, the next opening does it. */
    private void unlinkDead(final long position)
    {
        final int segmentLength = source.segmentLength();
        final Cut cut = history().newest();
        // That of the tail, which may be at its end, stays.
        final long end = (positions.appendedPosition() - 1) / segmentLength;
        source.releaseSegments();
        try
        {
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
        catch (final IOException ex)
        {
            Log.warn("cannot delete a truncated segment: journal=" + latch.journal(), ex);
        }
    }

    /**
     * Runs an action while nothing is pruned or truncated.
     */
    public <T> T exclusively(final Action<T> action) throws IOException
    {
        lock.lock();
        try
        {
            return action.run();
        }
        finally
        {
            lock.unlock();
        }
    }

    /**
     * Waits for a change in progress. Once the journal is closed, no other follows.
     */
    public void awaitChange()
    {
        lock.lock();
        lock.unlock();
    }

    void checkRange(final long sequence, final long lowest, final long highest)
    {
        if (sequence < lowest || sequence > highest)
        {
            throw new IllegalArgumentException(
                "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + firstSequence() +
                    ", lastSequence=" + positions.appendedSequence());
        }
    }
}
