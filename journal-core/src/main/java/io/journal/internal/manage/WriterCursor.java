package io.journal.internal.manage;

import io.journal.Checkpoint;
import io.journal.internal.files.CursorFile;

/**
 * A cursor that the journal's writer keeps. A truncation moves it back, so it is always one of the current epoch.
 */
public final class WriterCursor
{
    public final CursorFile file;
    private final Cursors cursors;

    public WriterCursor(final Cursors cursors, final CursorFile file)
    {
        this.cursors = cursors;
        this.file = file;
    }

    public String name()
    {
        return file.name();
    }

    public long sequence()
    {
        return file.sequence();
    }

    /** What was saved: a sequence, and the term of its record. */
    public Checkpoint saved()
    {
        return cursors.saved(file);
    }

    /** Saves the sequence of a record that the caller has read in an epoch. */
    public void save(final long sequence, final long epoch)
    {
        cursors.save(file, sequence, epoch);
    }

    /** The truncation epoch now, for a caller that has read the record just before. */
    public long currentEpoch()
    {
        return cursors.files().epoch();
    }

    /** How many records the consumer is behind. */
    public long lag()
    {
        return cursors.lag(file.sequence());
    }

    public void delete()
    {
        cursors.delete(file);
    }
}
