package io.journal.internal.manage;

import java.io.IOException;
import java.util.List;

import io.journal.internal.control.DirectoryForce;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.store.SegmentStore;

/**
 * The records that the snapshots need, by their names alone: those behind the oldest one, so that every later one may
 * become corrupt. There are two, or more if one was found to be corrupt. Runs under the lock of
 * {@link SegmentLifecycle}.
 */
final class NeededBySnapshots
{
    private final SegmentStore journal;
    private final FailureLatch latch;
    private boolean areNamesDurable;

    NeededBySnapshots(final SegmentStore journal, final FailureLatch latch)
    {
        this.journal = journal;
        this.latch = latch;
    }

    /**
     * The first record that they need: {@link Long#MAX_VALUE} if none was ever saved, which the absence of the
     * directory shows; 0 if there is one, since all history replaces it if it becomes corrupt; and 0 if there is none
     * left, since all history replaces those that were discarded.
     */
    long firstSequence() throws IOException
    {
        if (!journal.list().contains(JournalFiles.SNAPSHOTS))
        {
            return Long.MAX_VALUE;
        }

        final SegmentStore directory = journal.child(JournalFiles.SNAPSHOTS);
        final List<SnapshotFile> files = SnapshotFile.newestFirst(directory);
        if (files.size() < SnapshotLifecycle.KEPT)
        {
            return 0;
        }

        forceNames(directory);
        return files.get(files.size() - 1).sequence() + 1;
    }

    /**
     * Makes the names of an earlier process durable, which may have been killed before it did.
     */
    private void forceNames(final SegmentStore directory) throws IOException
    {
        if (!areNamesDurable)
        {
            DirectoryForce.force(journal, latch);
            DirectoryForce.force(directory, latch);
            areNamesDurable = true;
        }
    }
}
