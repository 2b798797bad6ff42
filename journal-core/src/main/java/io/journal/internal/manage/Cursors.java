// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;

import io.journal.Checkpoint;
import io.journal.JournalCursor;
import io.journal.internal.control.Control;
import io.journal.internal.control.ControlState;
import io.journal.internal.control.ControlState.Saved;
import io.journal.internal.control.History;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.read.Terms;
import io.journal.internal.write.Forcer;
import io.journal.internal.write.Positions;
import org.jspecify.annotations.Nullable;

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
    // Cursors in use, by name. A cursor that was deleted and created again is a different cursor.
    private final Map<String, Cursor> inUse = new ConcurrentHashMap<>();

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
    public JournalCursor get(final String name)
    {
        if (!ControlState.isCursorName(Objects.requireNonNull(name, "name")))
        {
            throw new IllegalArgumentException(
                "a cursor's name is 1 to 100 of A-Z, a-z, 0-9, dot, underscore and hyphen, not beginning with a dot: " +
                    "name=" + name);
        }
        return control.exclusively(() ->
        {
            latch.check();
            if (!isSaved(name))
            {
                final History history = control.state().history;
                final Saved begin = new Saved(history.startSequence - 1, history.startTerm);
                change("make a cursor", false, (cursors) -> cursors.put(name, begin));
            }
            return inUse.computeIfAbsent(name, Cursor::new);
        });
    }

    /**
     * @throws IllegalArgumentException unless a cursor belongs to this journal and is not deleted.
     */
    public Cursor own(final JournalCursor cursor)
    {
        if (cursor instanceof final Cursor own && own == inUse.get(own.name))
        {
            return own;
        }
        throw new IllegalArgumentException("not a cursor of this journal, or a deleted one: cursor=" + cursor);
    }

    /** Deletes the cursor of a name, if there is one. */
    public void delete(final String name)
    {
        control.exclusively(() ->
        {
            latch.check();
            final Cursor cursor = inUse.get(name);
            if (null != cursor)
            {
                // Set before the cursor is removed from the state.
                cursor.last = cursor.saved();
            }
            try
            {
                if (isSaved(name))
                {
                    change("delete a cursor", true, (cursors) -> cursors.remove(name));
                }
                inUse.remove(name);
            }
            finally
            {
                if (null != cursor && isSaved(name))
                {
                    // The change has failed, so the cursor stays in use.
                    cursor.last = null;
                }
            }
            return null;
        });
    }

    private boolean isSaved(final String name)
    {
        return control.state().cursors().containsKey(name);
    }

    /** The oldest record that some consumer has not processed, or {@link Long#MAX_VALUE} if there are no cursors. */
    long oldestNeeded()
    {
        return control.state().cursors().values().stream().mapToLong((saved) -> saved.sequence() + 1).min()
            .orElse(Long.MAX_VALUE);
    }

    public static long lag(final long sequence, final History history, final long lastSequence)
    {
        return Math.max(0, lastSequence - Math.max(sequence, history.startSequence - 1));
    }

    private void change(final String what, final boolean isForGood, final Consumer<SortedMap<String, Saved>> change)
    {
        control.change(what, isForGood, (state) -> state.withCursors(change));
    }

    /** A cursor in use. A truncation moves it back, so its record is always part of the log. */
    public final class Cursor implements JournalCursor
    {
        private final String name;
        // The saved position when the cursor was deleted; null until then.
        private volatile @Nullable Checkpoint last;

        private Cursor(final String name)
        {
            this.name = name;
        }

        private boolean isInUse()
        {
            return this == inUse.get(name);
        }

        /** The saved position: a sequence, and the term of its record. */
        public Checkpoint saved()
        {
            final ControlState.Saved saved = control.state().cursors().get(name);
            // Read after the state, because it is set before the cursor is removed from the state.
            final Checkpoint last = this.last;
            return null != last ? last : new Checkpoint(0 == saved.sequence() ? 0 : saved.term(), saved.sequence());
        }

        @Override
        public String name()
        {
            return name;
        }

        @Override
        public long sequence()
        {
            return saved().sequence();
        }

        @Override
        public long lag()
        {
            return Cursors.lag(sequence(), control.history(), positions.appendedSequence());
        }

        @Override
        public void save(final long sequence)
        {
            save(sequence, control.history().number);
        }

        /**
         * Saves a sequence, after its record is durable.
         *
         * @param number of the term in which the caller has read the record.
         */
        public void save(final long sequence, final long number)
        {
            latch.check();
            control.history().checkRange(sequence, positions.appendedSequence());
            do
            {
                latch.check();
                if (number != control.history().number)
                {
                    throw new IllegalStateException(
                        "records were truncated while the cursor was saved: name=" + name + ", sequence=" + sequence);
                }
                // Called without the lock, so that a thread that holds it can fsync.
                forcer.forceUpTo(sequence);
            }
            while (!control.exclusively(() -> trySave(sequence, number)));
        }

        /**
         * Returns false if the record is no longer durable, because it was truncated: another record may have its
         * sequence.
         */
        private boolean trySave(final long sequence, final long number)
        {
            latch.check();
            if (number != control.history().number || sequence > positions.forcedSequence())
            {
                return false;
            }
            final ControlState.Saved old = control.state().cursors().get(name);
            if (null == old || !isInUse())
            {
                throw new IllegalStateException("cursor was deleted: name=" + name);
            }
            // Checked again: retention may have dropped records while this waited for the lock.
            control.history().checkRange(sequence, positions.appendedSequence());
            final ControlState.Saved saved = new ControlState.Saved(sequence, terms.of(sequence));
            if (!saved.equals(old))
            {
                // When a cursor moves back, neither slot may keep the higher sequence.
                change("save a cursor", sequence < old.sequence(), (cursors) -> cursors.put(name, saved));
            }
            return true;
        }

        @Override
        public void delete()
        {
            control.exclusively(() ->
            {
                latch.check();
                if (isInUse())
                {
                    Cursors.this.delete(name);
                }
                return null;
            });
        }

        @Override
        public String toString()
        {
            return "JournalCursor{name=" + name + ", sequence=" + sequence() + '}';
        }
    }
}
