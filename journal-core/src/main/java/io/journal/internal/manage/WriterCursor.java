package io.journal.internal.manage;

import io.journal.internal.files.CursorFile;
import io.journal.internal.read.KeptPosition;

/**
 * A cursor that the journal's writer keeps. A truncation moves it back, so it is always one of the current epoch.
 */
public final class WriterCursor implements KeptPosition
{
    public final CursorFile file;
    private final Cursors cursors;

    public WriterCursor(final Cursors cursors, final CursorFile file)
    {
        this.cursors = cursors;
        this.file = file;
    }

    @Override
    public String name()
    {
        return file.name();
    }

    @Override
    public long sequence()
    {
        return file.sequence();
    }

    @Override
    public Saved saved()
    {
        return cursors.saved(file);
    }

    @Override
    public void save(final long sequence, final long epoch)
    {
        cursors.save(file, sequence, epoch);
    }

    @Override
    public boolean commit(final long sequence, final long epoch)
    {
        save(sequence, epoch);
        return true;
    }

    @Override
    public long currentEpoch()
    {
        return cursors.files().epoch();
    }

    @Override
    public long lag()
    {
        return cursors.lag(file.sequence());
    }

    @Override
    public void delete()
    {
        cursors.delete(file);
    }
}
