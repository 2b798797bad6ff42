package io.journal;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

import io.journal.internal.manage.KeptPosition;
import io.journal.internal.read.ReadSource;
import io.journal.internal.read.ReaderGate;
import io.journal.internal.read.RecordFinder;
import io.journal.internal.read.RecordWalk;

/**
 * What the calls of a {@link JournalReader} do: each passes the gate, finds records, and shows them to the handler. For
 * one thread at a time.
 */
final class Reading implements AutoCloseable
{
    private static final long SPIN_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long SHORT_PARK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final long LONG_PARK_NS = TimeUnit.MILLISECONDS.toNanos(10);

    private final ReadSource source;
    private final RecordWalk walk;
    private final RecordFinder finder;
    private final ReaderGate.Passage passage;
    // Of the position, for other threads.
    private final AtomicLong nextSequence = new AtomicLong();
    private final ShownRecord shown = new ShownRecord();

    Reading(final ReadSource source, final ReaderGate gate, final ReadSource.End end)
    {
        this.source = source;
        walk = new RecordWalk(source, end);
        finder = new RecordFinder(source, walk);
        passage = gate.newPassage();
    }

    /** One of the handlers is null: they have call sites of their own, so that a plain poll stays monomorphic. */
    int poll(
        final boolean isForward, final RecordHandler handler, final ControlledRecordHandler controlled, final int limit)
    {
        checkArguments(null == handler ? controlled : handler, limit);
        if (!passage.tryEnter())
        {
            return 0;
        }

        int count = 0;
        try
        {
            finder.check();
            ControlledRecordHandler.Action action = ControlledRecordHandler.Action.CONTINUE;
            while (count < limit && ControlledRecordHandler.Action.BREAK != action &&
                finder.find(isForward, 0 == count))
            {
                shown.show(walk.record());
                if (null == controlled)
                {
                    handler.onRecord(shown.view, 0, shown.view.capacity(), shown.header);
                }
                else
                {
                    action = Objects.requireNonNull(
                        controlled.onRecord(shown.view, 0, shown.view.capacity(), shown.header), "action");
                }
                if (ControlledRecordHandler.Action.ABORT == action)
                {
                    break;
                }

                walk.pass(isForward);
                count++;
                if (ControlledRecordHandler.Action.COMMIT == action)
                {
                    nextSequence.setRelease(walk.nextSequence());
                }
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
    boolean await(final long timeoutNs)
    {
        final long startNs = System.nanoTime();
        while (true)
        {
            // Read before the end is checked: the end of a closed journal is final.
            final boolean isJournalClosed = source.isClosed();
            if (isAnyReadable())
            {
                return true;
            }

            final long waitedNs = System.nanoTime() - startNs;
            if (isJournalClosed || waitedNs >= timeoutNs || Thread.currentThread().isInterrupted())
            {
                return false;
            }
            if (waitedNs < SPIN_NS)
            {
                Thread.onSpinWait();
            }
            else
            {
                LockSupport.parkNanos(this, Math.min(timeoutNs - waitedNs, parkNs(waitedNs)));
            }
        }
    }

    /** Intervals grow with the time waited, so that an idle reader costs little and a busy one waits little longer. */
    private static long parkNs(final long waitedNs)
    {
        return Math.min(waitedNs / 2, Math.max(SHORT_PARK_NS, Math.min(waitedNs / 100, LONG_PARK_NS)));
    }

    private boolean isAnyReadable()
    {
        if (!passage.tryEnter())
        {
            return false;
        }

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

    /** Begins behind a cursor. */
    void resume(final JournalCursor cursor)
    {
        inside(() ->
        {
            final KeptPosition.Saved saved = cursor.kept().saved();
            finder.resume(saved.sequence() + 1, saved.epoch());
        });
    }

    /** Saves a cursor at the position. No truncation comes between the check and the save. */
    void commit(final JournalCursor cursor)
    {
        inside(() ->
        {
            finder.check();
            cursor.kept().commit(walk.nextSequence() - 1, walk.epoch());
        });
    }

    void seekTo(final long sequence)
    {
        inside(() -> finder.search(() -> walk.seek().to(sequence)));
    }

    void seekToStart()
    {
        inside(() -> finder.search(() -> walk.seek().toStart()));
    }

    void seekToEnd()
    {
        inside(() -> finder.search(() -> walk.seek().toEnd()));
    }

    void seekToTime(final long timeMs)
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

    JournalReader.State state()
    {
        if (passage.isClosed())
        {
            return JournalReader.State.CLOSED;
        }

        passage.enter();
        try
        {
            // Read before the end is checked: the end of a closed journal is final.
            final boolean isJournalClosed = source.isClosed();
            return switch (walk.reconcile())
            {
                case PRUNED -> JournalReader.State.PRUNED;
                case TRUNCATED -> JournalReader.State.TRUNCATED;
                default -> isJournalClosed && walk.isAtEnd() ? JournalReader.State.CLOSED :
                    JournalReader.State.FOLLOWING;
            };
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

    long nextSequence()
    {
        return nextSequence.get();
    }

    /** The last record that may be read now. */
    long lastSequence()
    {
        return walk.lastSequence();
    }

    /** Waits while readers are quiesced; returns whether there is something to read then. */
    boolean isReadableOnceReleased()
    {
        passage.enter();
        leave();
        return !walk.isAtEnd();
    }

    @Override
    public void close()
    {
        passage.close();
        walk.close();
    }

    private void leave()
    {
        shown.hide();
        nextSequence.setRelease(walk.nextSequence());
        passage.leave();
    }
}
