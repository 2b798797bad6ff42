package io.journal.internal.read;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

import io.journal.Checkpoint;
import io.journal.JournalException;
import io.journal.RecordHandler;
import io.journal.internal.write.RecordWakeup;

/**
 * What the calls of a {@link io.journal.JournalReader} do: each passes the gate, finds records, and passes them to the
 * handler. For one thread at a time.
 */
public final class Reading implements AutoCloseable
{
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long SHORT_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG_PARK_NS = TimeUnit.MILLISECONDS.toNanos(50);

    private final ReadSource source;
    private final ReadSource.End end;
    private final RecordWalk walk;
    private final FoundRecord record;
    private final RecordFinder finder;
    private final RecordDelivery delivery;
    private final ReaderGate.Passage passage;
    // Of the position, for other threads.
    private final AtomicLong nextSequence = new AtomicLong();
    // Since when there was no record, if there was none when this reader looked last.
    private boolean isIdle;
    private long idleSinceNs;

    public Reading(
        final ReadSource source, final ReaderGate gate, final ReadSource.End end, final Verification verification)
    {
        this.source = source;
        this.end = end;
        walk = new RecordWalk(source, end, verification);
        record = walk.record();
        finder = new RecordFinder(source, walk);
        delivery = walk.newDelivery(finder);
        passage = gate.newPassage();
    }

    /** One of the handlers is null. */
    public int poll(
        final boolean isForward, final RecordHandler handler, final RecordHandler.Controlled controlled,
        final int limit)
    {
        checkArguments(null == handler ? controlled : handler, limit);
        passage.enter();
        try
        {
            finder.check();
            int count = 0;
            boolean isContinued = limit > 0;
            while (isContinued)
            {
                final int passed = delivery.pass(isForward, handler, controlled, limit - count, 0 == count);
                count += passed;
                if (RecordHandler.Action.COMMIT == delivery.action())
                {
                    nextSequence.setRelease(walk.nextSequence());
                }
                isIdle = isIdle && 0 == passed;
                isContinued = passed > 0 && count < limit && !delivery.isStopped();
            }

            return count;
        }
        catch (final InternalError ex)
        {
            throw finder.handlerFault(ex);
        }
        finally
        {
            leave();
        }
    }

    /** Also if there is nothing to read, so that a mistake does not hide. */
    static void checkArguments(final Object handler, final int limit)
    {
        Objects.requireNonNull(handler, "handler");
        if (limit < 0)
        {
            throw new IllegalArgumentException("limit must be 0 or more: limit=" + limit);
        }
    }

    /** Waits for a record; returns whether there is one. */
    public boolean await(final long timeoutNs)
    {
        final long startNs = System.nanoTime();
        final RecordWakeup wakeup = source.wakeup(end);
        boolean isWoken = false;
        boolean isFirstPark = true;
        try
        {
            while (true)
            {
                // Read before the end is checked: the end of a closed journal is final.
                final boolean isJournalClosed = source.isClosed();
                if (isAnyReadable())
                {
                    isIdle = false;
                    return true;
                }

                final long nowNs = System.nanoTime();
                final long idleNs = idleNs(nowNs);
                final long leftNs = timeoutNs - (nowNs - startNs);
                if (isJournalClosed || leftNs <= 0 || Thread.currentThread().isInterrupted())
                {
                    return false;
                }
                if (isWoken)
                {
                    isFirstPark = wakeup.park(isFirstPark, leftNs);
                }
                else if (null != wakeup && idleNs >= RecordWakeup.IDLE_NS)
                {
                    isWoken = true;
                    wakeup.begin();
                }
                else if (idleNs < SPIN_NS)
                {
                    Thread.onSpinWait();
                }
                else
                {
                    LockSupport.parkNanos(this, Math.min(leftNs, parkNs(idleNs)));
                }
            }
        }
        finally
        {
            if (isWoken)
            {
                wakeup.end();
            }
        }
    }

    /** How long this reader has found no record, in this call and those before. */
    private long idleNs(final long nowNs)
    {
        if (!isIdle)
        {
            isIdle = true;
            idleSinceNs = nowNs;
        }

        return nowNs - idleSinceNs;
    }

    /** Intervals grow with the time waited, so that an idle reader costs little and a busy one waits little longer. */
    private static long parkNs(final long idleNs)
    {
        return Math.min(idleNs / 2, Math.max(SHORT_PARK_NS, Math.min(idleNs / 100, LONG_PARK_NS)));
    }

    private boolean isAnyReadable()
    {
        passage.enter();
        try
        {
            finder.check();
            // As the poll that follows does, which need not verify the record again.
            return finder.find(true, true);
        }
        catch (final InternalError ex)
        {
            throw finder.unreadable(ex);
        }
        finally
        {
            leave();
        }
    }

    /** Begins after a consumer's last record, which is read while no truncation moves a cursor back. */
    public void resume(final Supplier<Checkpoint> checkpoint)
    {
        inside(() -> finder.resume(checkpoint.get()));
    }

    /** Saves a consumer's position. */
    public interface Saving
    {
        /**
         * @param sequence of the last record that was read.
         * @param number   of the term in which it was read.
         */
        void save(long sequence, long number);
    }

    /** Saves a consumer's position here. */
    public void commit(final Saving cursor)
    {
        inside(() ->
        {
            boolean isSaved = false;
            while (!isSaved)
            {
                finder.check();
                try
                {
                    cursor.save(walk.nextSequence() - 1, walk.number());
                    isSaved = true;
                }
                catch (final IllegalArgumentException | IllegalStateException ex)
                {
                    // Records were pruned or truncated since the check, maybe not these.
                    if (!walk.isOutdated())
                    {
                        throw ex;
                    }
                }
            }
        });
    }

    /** The record before the position. After a prune or truncation since the check, it is checked again. */
    public Checkpoint checkpoint()
    {
        final Checkpoint[] checkpoint = new Checkpoint[1];
        inside(() ->
        {
            do
            {
                finder.check();
                final long sequence = walk.nextSequence() - 1;
                checkpoint[0] = new Checkpoint(source.termOf(sequence), sequence);
            }
            while (walk.isOutdated());
        });
        return checkpoint[0];
    }

    public void seekTo(final long sequence)
    {
        inside(() -> finder.search(() -> walk.seek().to(sequence)));
    }

    public void seekToStart()
    {
        inside(() -> finder.search(() -> walk.seek().toStart()));
    }

    public void seekToEnd()
    {
        inside(() -> finder.search(() -> walk.seek().toEnd()));
    }

    public void seekToTime(final long timeMs)
    {
        inside(() -> finder.search(() -> walk.seek().toTime(timeMs)));
    }

    private void inside(final Runnable call)
    {
        passage.enter();
        try
        {
            call.run();
        }
        catch (final InternalError ex)
        {
            throw finder.unreadable(ex);
        }
        finally
        {
            leave();
        }
    }

    /** Whether the position is part of the journal, and whether there will be more to read. */
    public RecordWalk.Standing standing()
    {
        if (passage.isClosed())
        {
            return RecordWalk.Standing.FINISHED;
        }

        passage.enter();
        try
        {
            // Read before the end is checked: the end of a closed journal is final.
            final boolean isJournalClosed = source.isClosed();
            final RecordWalk.Standing standing = walk.reconcile();
            final boolean isGone = RecordWalk.Standing.PRUNED == standing || RecordWalk.Standing.TRUNCATED == standing;
            return !isGone && isJournalClosed && walk.isAtEnd() ? RecordWalk.Standing.FINISHED : standing;
        }
        catch (final InternalError ex)
        {
            throw finder.unreadable(ex);
        }
        finally
        {
            leave();
        }
    }

    public long nextSequence()
    {
        return nextSequence.get();
    }

    /**
     * The last record that may be read now.
     *
     * @throws JournalException if it is not known what is durable.
     */
    public long lastSequence()
    {
        // Before and after: it may become known in between, and the sequence be from before.
        final boolean wasKnown = source.isEndKnown(end);
        final long last = walk.lastSequence();
        if (!wasKnown || !source.isEndKnown(end))
        {
            throw ReadSource.durabilityUnknown(walk.nextSequence());
        }

        return last;
    }

    /**
     * Whether there is something to read.
     *
     * @throws JournalException if it is not known what is durable.
     */
    public boolean isReadable()
    {
        return walk.nextSequence() <= lastSequence();
    }

    @Override
    public void close()
    {
        passage.close();
        walk.closeAndShrink();
    }

    private void leave()
    {
        record.hide();
        nextSequence.setRelease(walk.nextSequence());
        passage.leave();
    }
}
