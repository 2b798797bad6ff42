// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import io.journal.Checkpoint;
import io.journal.JournalCursor;

/**
 * A cursor that the journal's writer keeps. A truncation moves it back, so its record is always one of the log.
 */
public final class WriterCursor implements JournalCursor
{
    private final Cursors cursors;
    private final String name;
    // Of one that was deleted.
    private volatile Checkpoint last = Checkpoint.START;

    WriterCursor(final Cursors cursors, final String name)
    {
        this.cursors = cursors;
        this.name = name;
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

    /** What was saved: a sequence, and the term of its record. */
    public Checkpoint saved()
    {
        return cursors.saved(this);
    }

    /** Saves the sequence of a record that the caller has read, in the term of a number. */
    public void save(final long sequence, final long number)
    {
        cursors.save(this, sequence, number);
    }

    Checkpoint last()
    {
        return last;
    }

    /** Keeps what was saved: the cursor is being deleted. */
    void end()
    {
        last = saved();
    }

    @Override
    public void save(final long sequence)
    {
        cursors.save(this, sequence, cursors.number());
    }

    /** How many records the consumer is behind. */
    @Override
    public long lag()
    {
        return cursors.lag(sequence());
    }

    @Override
    public void delete()
    {
        cursors.delete(this);
    }

    @Override
    public String toString()
    {
        return "JournalCursor{name=" + name + ", sequence=" + sequence() + '}';
    }
}
