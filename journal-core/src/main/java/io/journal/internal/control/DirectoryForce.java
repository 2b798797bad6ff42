// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.control;

import io.journal.JournalException;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.platform.CleanUp;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NotBegunException;

/**
 * Fsyncs a directory of an open journal.
 */
public final class DirectoryForce
{
    private DirectoryForce()
    {
    }

    /**
     * Makes the names in the directory durable.
     *
     * @throws NotBegunException if the fsync could not begin; it may be retried.
     * @throws JournalException  if the fsync failed. This fails the journal, because a retry could succeed although the
     *                           names are not durable.
     */
    public static void force(final SegmentStore directory, final FailureLatch latch) throws NotBegunException
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
     * Makes the name of a new file or subdirectory durable, and deletes it if that fails. The next opening must not
     * find it: its own fsync of the directory may succeed although a power loss still takes the name, and with it
     * acknowledged records.
     *
     * @param fence checked before the deletion: another writer may have the journal by now.
     * @throws NotBegunException if the fsync could not begin; the call may be repeated with a new file.
     * @throws JournalException  if the fsync failed. This fails the journal.
     */
    public static void forceNew(
        final SegmentStore directory, final String name, final FailureLatch latch, final WriterFence fence)
        throws NotBegunException
    {
        try
        {
            force(directory, latch);
        }
        catch (final NotBegunException | JournalException ex)
        {
            CleanUp.after(ex, () ->
            {
                fence.check();
                directory.delete(name);
            });
            throw ex;
        }
    }
}
