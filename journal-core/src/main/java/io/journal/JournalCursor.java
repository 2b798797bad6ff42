package io.journal;

import io.journal.internal.files.CursorFile;
import io.journal.internal.manage.Cursors;

/**
 * A consumer's place in a journal, kept under a name and across restarts. Made by {@link Journal#cursor(String)}.
 * <p>
 * What is saved survives a loss of power, and never goes beyond what does: a consumer that goes on behind its cursor
 * may see records again that it handled after its last save, but misses none. Safe for use by several threads.
 */
public final class JournalCursor
{
    private final Cursors cursors;
    private final CursorFile file;

    JournalCursor(final Cursors cursors, final CursorFile file)
    {
        this.cursors = cursors;
        this.file = file;
    }

    /**
     * The name it was asked for by.
     *
     * @return the name.
     */
    public String name()
    {
        return file.name();
    }

    /**
     * The last record that its consumer is done with, as it was saved: go on with the next one. Where that was pruned
     * meanwhile, {@link Journal#firstSequence()} is the next that there is.
     *
     * @return its sequence; for a new cursor one less than that of the journal's oldest record.
     */
    public long sequence()
    {
        return file.sequence();
    }

    /**
     * Saves the last record that the consumer is done with. On return it survives a loss of power.
     * <p>
     * A record that is not forced yet is forced first, at once under every {@link ForcePolicy}. A lower sequence than
     * the one saved goes back.
     *
     * @param sequence of the record; one less than {@link Journal#firstSequence()} to begin with the oldest.
     * @throws IllegalArgumentException if it is lower than that, or higher than {@link Journal#lastSequence()}; the
     *                                  cursor stays as it was.
     * @throws JournalClosedException   if the journal is closed.
     * @throws IllegalStateException    if the cursor was deleted, or the record cut off meanwhile.
     * @throws JournalException         if its file cannot be opened: nothing was saved, try again. Or if storage
     *                                  failed, now or before: nothing more is acknowledged, reopen to recover. The
     *                                  cursor then is where it was, or at the sequence.
     */
    public void save(final long sequence)
    {
        cursors.save(file, sequence);
    }

    /**
     * How far the consumer is behind.
     *
     * @return number of records between the cursor, or the journal's beginning if that is later, and
     *         {@link Journal#lastSequence()}.
     */
    public long lag()
    {
        return cursors.lag(file.sequence());
    }

    /**
     * Deletes the cursor: it is forgotten, and holds back no retention. May be called twice. On return that survives a
     * loss of power.
     *
     * @throws JournalClosedException if the journal is closed.
     * @throws JournalException       if storage failed, now or before.
     */
    public void delete()
    {
        cursors.delete(file);
    }

    @Override
    public String toString()
    {
        return "JournalCursor{name=" + name() + ", sequence=" + sequence() + '}';
    }

    CursorFile file()
    {
        return file;
    }
}
