package io.journal.internal.manage;

import io.journal.Checkpoint;

/**
 * A cursor that the journal's writer keeps. A truncation moves it back, so its record is always one of the log.
 */
public final class WriterCursor
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

    public String name()
    {
        return name;
    }

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

    /** Number of the current term, for a caller that has read the record just before. */
    public long currentNumber()
    {
        return cursors.number();
    }

    /** How many records the consumer is behind. */
    public long lag()
    {
        return cursors.lag(sequence());
    }

    public void delete()
    {
        cursors.delete(this);
    }
}
