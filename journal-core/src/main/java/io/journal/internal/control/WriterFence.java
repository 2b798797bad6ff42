// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import java.io.IOException;

import io.journal.JournalException;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.platform.CleanUp;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NotBegunException;

/**
 * Detects that a writer lost its journal: its directory was removed, moved or replaced, or another writer has opened
 * the journal although this one holds the lock. The operating system drops a lock when its file is deleted, and on many
 * systems when other code of the same process closes the file.
 * <p>
 * All of that is checked at each roll, regularly by the background agent, before a file of the journal is deleted or
 * replaced, and on close. Each append and each force check for another writer: an append before it changes bytes that
 * the other writer may own by now, a force before it is acknowledged.
 */
public final class WriterFence
{
    private final DirectoryLock lock;
    private final ControlFile control;
    final FailureLatch latch;

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

    /** Does the same before a change, which is not begun if it cannot be determined whether the journal is lost. */
    public void checkBefore(final String change)
    {
        try
        {
            check();
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot " + change + ": it cannot be known whether the files are still the journal's; cause=" + ex, ex);
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
            try
            {
                check();
            }
            catch (final IOException ex)
            {
                throw latch.fail(ex).exception("check of the writer's lock", ex);
            }
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

    /**
     * Makes the names in a directory durable.
     *
     * @throws NotBegunException if the fsync could not begin; it may be retried.
     * @throws JournalException  if the fsync failed. This fails the journal, because a retry could succeed although the
     *                           names are not durable.
     */
    public void force(final SegmentStore directory) throws NotBegunException
    {
        try
        {
            directory.force();
        }
        catch (final NotBegunException ex)
        {
            throw ex;
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("force of the directory", ex);
        }
    }

    /**
     * Makes the name of a new file or subdirectory durable, and deletes it if that fails, unless another writer has the
     * journal by now. The next opening must not find it: its own fsync of the directory may succeed although a power
     * loss still takes the name, and with it acknowledged records.
     *
     * @throws NotBegunException if the fsync could not begin; the call may be repeated with a new file.
     * @throws JournalException  if the fsync failed. This fails the journal.
     */
    public void forceNew(final SegmentStore directory, final String name) throws NotBegunException
    {
        try
        {
            force(directory);
        }
        catch (final NotBegunException | JournalException ex)
        {
            CleanUp.after(ex, () ->
            {
                check();
                directory.delete(name);
            });
            throw ex;
        }
    }
}
