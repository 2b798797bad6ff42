// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;

import io.journal.Checkpoint;
import io.journal.internal.control.Control;
import io.journal.internal.control.ControlState.Saved;
import io.journal.internal.control.CursorName;
import io.journal.internal.control.History;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.read.Terms;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;

/**
 * The cursors of a journal in use: created, saved once their record is durable, and deleted. They are a part of the
 * control state. Thread-safe.
 */
public final class Cursors
{
    private final Control control;
    private final Positions positions;
    private final Forcer forcer;
    private final Terms terms;
    private final FailureLatch latch;
    private final RetentionObstacle obstacle = new RetentionObstacle();
    // Those that are in use, by name. A cursor that was deleted and created again is another one.
    private final Map<String, WriterCursor> handles = new ConcurrentHashMap<>();

    public Cursors(
        final Control control,
        final Positions positions,
        final Forcer forcer,
        final Terms terms,
        final FailureLatch latch)
    {
        this.control = control;
        this.positions = positions;
        this.forcer = forcer;
        this.terms = terms;
        this.latch = latch;
    }

    /** Names of all cursors, in order. */
    public List<String> names()
    {
        return List.copyOf(control.state().cursors().keySet());
    }

    /** Returns the cursor of a name, and creates it if there is none. */
    public WriterCursor get(final String name)
    {
        CursorName.check(Objects.requireNonNull(name, "name"));
        control.hold();
        try
        {
            latch.check();
            if (!control.state().cursors().containsKey(name))
            {
                final History history = control.state().history;
                change("make a cursor", false, name, new Saved(history.startSequence - 1, history.startTerm));
            }
            return handles.computeIfAbsent(name, (key) -> new WriterCursor(this, key));
        }
        finally
        {
            control.release();
        }
    }

    /** Whether a cursor is one of this journal, and not deleted. */
    public boolean has(final WriterCursor cursor)
    {
        return cursor == handles.get(cursor.name());
    }

    /** What was saved in a cursor; that of a deleted one is no longer kept. */
    Checkpoint saved(final WriterCursor cursor)
    {
        final Saved saved = control.state().cursors().get(cursor.name());
        return null == saved || !has(cursor) ? cursor.last() :
            new Checkpoint(0 == saved.sequence() ? 0 : saved.term(), saved.sequence());
    }

    /** Number of the current term. */
    long number()
    {
        return control.history().number;
    }

    /**
     * Saves a sequence, after its record is durable.
     *
     * @param number of the term in which the caller has read the record.
     */
    void save(final WriterCursor cursor, final long sequence, final long number)
    {
        latch.check();
        checkRange(sequence);
        do
        {
            latch.check();
            if (number != number())
            {
                throw new IllegalStateException(
                    "records were truncated while the cursor was saved: name=" + cursor.name() + ", sequence=" +
                        sequence);
            }
            // Without the lock, so that a thread that holds it can fsync.
            forcer.forceUpTo(sequence);
        }
        while (!trySave(cursor, sequence, number));
    }

    private void checkRange(final long sequence)
    {
        final long first = control.history().startSequence;
        final long last = positions.appendedSequence();
        if (sequence < first - 1 || sequence > last)
        {
            throw new IllegalArgumentException(
                "sequence outside the journal: sequence=" + sequence + ", firstSequence=" + first +
                    ", lastSequence=" + last);
        }
    }

    /** Returns false if the record is not durable any more: it was truncated, and another may have its sequence. */
    private boolean trySave(final WriterCursor cursor, final long sequence, final long number)
    {
        control.hold();
        try
        {
            latch.check();
            if (number != number() || sequence > positions.forcedSequence())
            {
                return false;
            }
            final Saved old = control.state().cursors().get(cursor.name());
            if (null == old || !has(cursor))
            {
                throw new IllegalStateException("cursor was deleted: name=" + cursor.name());
            }
            // Again: retention may have dropped records while this waited, and keeps the lock while it does.
            checkRange(sequence);

            final Saved saved = new Saved(sequence, terms.of(sequence));
            if (!saved.equals(old))
            {
                // If the slot rots, no other one may hold a higher sequence.
                change("save a cursor", sequence < old.sequence(), cursor.name(), saved);
            }
            return true;
        }
        finally
        {
            control.release();
        }
    }

    public long lag(final long sequence)
    {
        return lag(sequence, control.history(), positions.appendedSequence());
    }

    /** How many records a consumer is behind. */
    public static long lag(final long sequence, final History history, final long lastSequence)
    {
        return Math.max(0, lastSequence - Math.max(sequence, history.startSequence - 1));
    }

    /** Deletes the cursor of a name, if there is one. */
    public void delete(final String name)
    {
        control.hold();
        try
        {
            latch.check();
            final WriterCursor handle = handles.get(name);
            if (null != handle)
            {
                handle.end();
            }
            handles.remove(name);
            if (control.state().cursors().containsKey(name))
            {
                change("delete a cursor", true, name, null);
            }
        }
        finally
        {
            control.release();
        }
    }

    /** Deletes a cursor, unless that was done before. */
    void delete(final WriterCursor cursor)
    {
        control.hold();
        try
        {
            latch.check();
            if (has(cursor))
            {
                delete(cursor.name());
            }
        }
        finally
        {
            control.release();
        }
    }

    private void change(final String what, final boolean isForGood, final String name, final Saved saved)
    {
        control.change(what, isForGood, (state) -> state.withCursors((map) ->
        {
            if (null == saved)
            {
                map.remove(name);
            }
            else
            {
                map.put(name, saved);
            }
            return map;
        }));
    }

    /**
     * The oldest record that some consumer has not processed, or {@link Long#MAX_VALUE} if there are no cursors.
     */
    long oldestNeeded()
    {
        return control.state().cursors().values().stream().mapToLong((saved) -> saved.sequence() + 1).min()
            .orElse(Long.MAX_VALUE);
    }

    /**
     * Notes how much retention keeps only because a consumer has not passed it, or because the snapshots need it: 0
     * bytes if nothing.
     */
    void heldBack(final long bytes, final boolean isBySnapshots, final long nowMs)
    {
        if (0 == bytes)
        {
            obstacle.behind(null, nowMs);
        }
        else if (isBySnapshots)
        {
            obstacle.behind(
                "snapshots hold back retention: journal=" + latch.journal() + ", bytes=" + bytes +
                    "; save a newer one; if the application saves none any more, close the journal and move the " +
                    "directory snapshots away",
                nowMs);
        }
        else
        {
            final SortedMap<String, Saved> cursors = control.state().cursors();
            cursors.keySet().stream().min(
                (one, other) -> Long.compare(cursors.get(one).sequence(), cursors.get(other).sequence())).ifPresent(
                    (name) -> obstacle.behind(
                        "a consumer holds back retention: journal=" + latch.journal() + ", cursor=" + name +
                            ", sequence=" + cursors.get(name).sequence() + ", bytes=" + bytes +
                            "; if it is gone for good, delete its cursor",
                        nowMs));
        }
    }

    /** Logs what blocks retention. */
    public void reportObstacle()
    {
        obstacle.report();
    }
}
