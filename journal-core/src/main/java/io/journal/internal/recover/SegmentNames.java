package io.journal.internal.recover;

import java.io.IOException;
import java.util.List;

import io.journal.internal.files.JournalFiles;
import io.journal.internal.format.Layout;
import io.journal.internal.format.SegmentHeader;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NotBegunException;

/**
 * The names of segments in the journal's directory, as an opening leaves them.
 */
final class SegmentNames
{
    private final SegmentStore store;
    private final Layout layout;
    private final List<Long> ordinals;

    /**
     * @param ordinals of all segments, ascending; those of deleted segments are removed from the list.
     */
    SegmentNames(final SegmentStore store, final Layout layout, final List<Long> ordinals)
    {
        this.store = store;
        this.layout = layout;
        this.ordinals = ordinals;
    }

    /** Unlinks what an incomplete prune left. */
    void unlinkPruned(final long firstOrdinal) throws IOException
    {
        while (ordinals.get(0) < firstOrdinal)
        {
            store.delete(JournalFiles.segment(ordinals.remove(0)));
        }
    }

    /** Deletes the files that were being prepared. */
    void deleteSpares() throws IOException
    {
        for (final String name : store.list())
        {
            if (JournalFiles.isSpare(name))
            {
                store.delete(name);
            }
        }
    }

    /**
     * Makes the names durable: the process that created the newest ones may have been killed before its fsync.
     *
     * @param end of the journal. If this fails, segments behind it are deleted: the next fsync may succeed although a
     *            power loss still takes their names, and with them what is acknowledged there until then.
     */
    void force(final long end) throws IOException
    {
        try
        {
            store.force();
        }
        catch (final NotBegunException ex)
        {
            throw ex;
        }
        catch (final Throwable ex)
        {
            deleteFrom(end, ex);
            throw ex;
        }
    }

    private void deleteFrom(final long end, final Throwable failure)
    {
        try
        {
            for (int i = ordinals.size() - 1; i > 0 && isBehind(end, ordinals.get(i)); i--)
            {
                store.delete(JournalFiles.segment(ordinals.get(i)));
            }
        }
        catch (final IOException ex)
        {
            // The original failure is the more useful one to report.
            failure.addSuppressed(ex);
        }
    }

    private boolean isBehind(final long end, final long ordinal)
    {
        return layout.position(ordinal, SegmentHeader.LENGTH) >= end;
    }
}
