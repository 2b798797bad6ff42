// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.io.IOException;
import java.util.List;

import io.journal.internal.control.DirectoryForce;
import io.journal.internal.control.WriterFence;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.store.SegmentStore;

/**
 * The names in {@code snapshots/}, and their fsyncs. {@link SnapshotLifecycle} changes them, under the lock of
 * {@link SegmentLifecycle}, which keeps the records that the snapshots need.
 */
public final class SnapshotDirectory
{
    /** How many of the newest valid snapshots are kept. */
    static final int KEPT = 2;

    private final SegmentStore journal;
    private final WriterFence fence;
    private final FailureLatch latch;
    private volatile SegmentStore files;
    private boolean areNamesDurable;

    public SnapshotDirectory(final SegmentStore journal, final WriterFence fence, final FailureLatch latch)
    {
        this.journal = journal;
        this.fence = fence;
        this.latch = latch;
    }

    /** The snapshots, the newest first. Needs no lock. */
    List<SnapshotFile> list() throws IOException
    {
        if (null == files)
        {
            files = SnapshotFile.directory(journal);
        }

        return null == files ? List.of() : SnapshotFile.newestFirst(files);
    }

    /**
     * The first record that the snapshots need, by their names alone: the record after the oldest snapshot, in case
     * later ones become corrupt. {@link Long#MAX_VALUE} if none was ever saved, so that there is no directory; 0 if
     * there is a single snapshot, or none any more, since only all history can replace it.
     */
    long firstNeeded() throws IOException
    {
        final List<SnapshotFile> present = list();
        if (null == files || present.size() < KEPT)
        {
            return null == files ? Long.MAX_VALUE : 0;
        }

        forceNames();
        return present.get(present.size() - 1).sequence() + 1;
    }

    /** The store of the directory, if there are snapshots. */
    SegmentStore files()
    {
        return files;
    }

    /** Makes all names durable, also names from a process that was killed before its fsync. */
    void forceNames() throws IOException
    {
        if (!areNamesDurable)
        {
            DirectoryForce.force(journal, latch);
            DirectoryForce.force(files, latch);
            areNamesDurable = true;
        }
    }

    /** Begins the next snapshot of a sequence. A number that was discarded is not used again. */
    SnapshotFile next(final long sequence) throws IOException
    {
        list();
        if (null == files)
        {
            final SegmentStore created = journal.child(JournalFiles.SNAPSHOTS);
            DirectoryForce.forceNew(journal, JournalFiles.SNAPSHOTS, latch, fence);
            files = created;
            areNamesDurable = true;
        }
        forceNames();
        final long last = files.list().stream().map(SnapshotFile::ofAny)
            .filter((file) -> null != file && file.sequence() == sequence).mapToLong(SnapshotFile::number)
            .max().orElse(0);
        return new SnapshotFile(sequence, last + 1);
    }

    /** Gives the temporary file its name, durably, and checks that the journal is still owned. */
    void publish(final SnapshotFile file) throws IOException
    {
        files.rename(SnapshotFile.TEMPORARY, file.name());
        DirectoryForce.forceNew(files, file.name(), latch, fence);
        fence.check();
    }

    int discardAfter(final long sequence) throws IOException
    {
        int count = 0;
        for (final SnapshotFile file : list())
        {
            if (file.sequence() > sequence)
            {
                files.rename(file.name(), file.discardedName());
                count++;
            }
        }
        if (null != files)
        {
            // Fsynced even if there was no snapshot: a process that discarded them may have been killed before its
            // fsync.
            DirectoryForce.force(files, latch);
        }

        return count;
    }
}
