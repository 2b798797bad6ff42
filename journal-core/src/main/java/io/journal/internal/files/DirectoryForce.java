package io.journal.internal.files;

import io.journal.JournalException;
import io.journal.store.SegmentStore.NotBegunException;
import io.journal.store.SegmentStore;

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
            throw latch.fail("force of the directory", ex);
        }
    }
}
