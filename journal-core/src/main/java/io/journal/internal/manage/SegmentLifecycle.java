package io.journal.internal.manage;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;

import io.journal.JournalException;
import io.journal.Retention;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.lock.LockLevel;
import io.journal.internal.lock.OrderedLock;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.write.ExclusiveChange;
import io.journal.internal.write.Positions;
import io.journal.internal.write.SegmentSupply;
import io.journal.store.SegmentStore;
import org.agrona.concurrent.EpochClock;

/**
 * The journal's range, and the lock under which it changes: by {@link Pruning} at its oldest end and by
 * {@link Truncating} at its newest, one change at a time. Thread-safe.
 */
public final class SegmentLifecycle
{
    private static final long MAX_WAIT_NS = TimeUnit.SECONDS.toNanos(1);

    /** Runs while the range does not change. */
    public interface Action<T>
    {
        T run() throws IOException;
    }

    private final Positions positions;
    private final ReaderGate readers;
    private final Cursors cursors;
    private final FailureLatch latch;
    // Excludes one another: prune, retain, truncateAfter, and the actions of backups and snapshots.
    private final OrderedLock lock;
    private final AtomicReference<JournalMeta> meta;
    private final NeededBySnapshots snapshots;
    private final Pruning pruning;
    private final Truncating truncating;
    // Whether the lock is held by a prune or by retention, which never wait for an appender.
    private volatile boolean isDropping;

    public SegmentLifecycle(
        final SegmentStore store,
        final JournalMeta meta,
        final WriteRoom write,
        final ReadRoom read,
        final Cursors cursors,
        final FailureLatch latch)
    {
        positions = write.positions();
        readers = read.readers();
        this.cursors = cursors;
        this.latch = latch;
        lock = new OrderedLock(LockLevel.MANAGE, latch);
        this.meta = new AtomicReference<>(meta);
        snapshots = new NeededBySnapshots(store, latch);
        pruning = new Pruning(store, this.meta, write, read, cursors, snapshots, latch);
        truncating = new Truncating(store, this.meta, write, read, cursors);
    }

    public JournalMeta meta()
    {
        return meta.get();
    }

    public long firstSequence()
    {
        return meta().state.startSequence;
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
        cursors.hold();
        try
        {
            final long needed = Math.min(sequence, cursors.oldestNeeded());
            return needed > firstSequence() ? prune(needed) : firstSequence();
        }
        finally
        {
            cursors.release();
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
            return meta().state.startPosition;
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
     * Truncates the records behind a sequence.
     *
     * @param snapshotCheck throws if a snapshot contains records behind the sequence. Runs under the lock, without
     *                      which no snapshot gets its name.
     * @param appenders     are excluded from appending meanwhile.
     */
    public void truncateAfter(
        final long sequence, final LongConsumer snapshotCheck, final ExclusiveChange.Gate appenders)
    {
        quiesceReadersAndLock();
        try
        {
            appenders.exclusively(() ->
            {
                latch.check();
                checkRange(sequence, firstSequence() - 1, positions.appendedSequence());
                snapshotCheck.accept(sequence);
                truncating.truncateAfter(sequence);
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
            readers.release();
            positions.wakeAll();
        }
    }

    /**
     * In this order, since a handler may be waiting for the lock. Readers are released while this thread waits for the
     * lock, since that can take as long as a backup.
     */
    private void quiesceReadersAndLock()
    {
        readers.hold();
        while (!lock.tryLock())
        {
            readers.release();
            awaitChange();
            readers.hold();
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
