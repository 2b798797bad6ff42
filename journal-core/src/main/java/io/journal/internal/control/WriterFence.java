// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.io.IOException;

import io.journal.JournalException;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FailureLatch;

/**
 * Detects that a writer lost its journal: its directory was removed, moved or replaced, or another writer has opened
 * the journal although this one holds the lock. The operating system drops a lock when its file is deleted, and on many
 * systems when other code of the same process closes the file.
 * <p>
 * All of that is checked at each roll, every 50 ms or so by the background agent, and on close. Each append and each
 * force check for another writer: an append before it changes bytes that the other writer may own by now, a force
 * before it is acknowledged.
 */
public final class WriterFence
{
    private final DirectoryLock lock;
    private final ControlFile control;
    private final FailureLatch latch;

    public WriterFence(final DirectoryLock lock, final ControlFile control, final FailureLatch latch)
    {
        this.lock = lock;
        this.control = control;
        this.latch = latch;
    }

    /**
     * Whether no other writer has opened the journal. Cheap enough for each record. If false, {@link #check()} fails
     * the journal.
     */
    public boolean isOwned()
    {
        return control.isOwned();
    }

    /**
     * @throws JournalException if the journal is lost; it has failed, and nothing more is acknowledged.
     * @throws IOException      if that cannot be determined; nothing has changed.
     */
    public void check() throws IOException
    {
        try
        {
            // Checked first: another writer at work is a more useful report than a missing lock file.
            control.checkOwned();
            lock.checkInPlace();
        }
        catch (final JournalException ex)
        {
            throw latch.fail(ex).exception("check of the writer's lock", ex);
        }
    }

    /**
     * Checks, before bytes are changed, that no other writer has opened the journal. Cheap enough for each record.
     *
     * @throws JournalException if another writer has, or if it cannot be determined; the journal has failed.
     */
    public void checkOwned()
    {
        if (!isOwned())
        {
            checkOrFail();
        }
    }

    private void checkOrFail()
    {
        try
        {
            check();
        }
        catch (final IOException ex)
        {
            throw latch.fail(ex).exception("check of the writer's lock", ex);
        }
    }

    /**
     * Fails the journal after a fault in mapped memory of a segment or of {@code journal.control}. A lost journal may
     * be the cause.
     */
    public JournalException faulted(final InternalError error)
    {
        Throwable cause = error;
        try
        {
            check();
        }
        catch (final IOException | JournalException ex)
        {
            ex.addSuppressed(error);
            cause = ex;
        }

        return latch.fail(cause).exception("write", cause);
    }
}
