package io.journal.internal.files;

import io.journal.JournalException;
import io.journal.store.NotBegunException;
import io.journal.store.SegmentStore;

/**
 * Makes the names in a directory of an open journal durable.
 */
public final class DirectoryForce
{
    private DirectoryForce()
    {
    }

    /**
     * @throws NotBegunException if it could not begin: it may be made later.
     * @throws JournalException  if it failed, and the journal with it: made again, it could return as if the names were
     *                           on the device.
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
            throw latch.fail("force of the directory", ex);
        }
    }
}
