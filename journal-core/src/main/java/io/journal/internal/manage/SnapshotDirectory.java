package io.journal.internal.manage;

import io.journal.Snapshots;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.control.DirectoryForce;
import io.journal.internal.files.FailureLatch;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.control.WriterFence;
import io.journal.internal.format.Block;
import io.journal.store.SegmentFile;
import io.journal.store.SegmentStore;

/**
 * The files of {@code snapshots/}: names, fsyncs, and which are valid. Runs under the lock of
 * {@link SnapshotLifecycle}, except {@link #list()} and what {@link FollowerBackup} calls.
 */
final class SnapshotDirectory
{
    private final SegmentStore journal;
    private final FailureLatch latch;
    private final Consumer<JournalException> corrupt;
    // Written or verified since the journal was opened.
    private final Set<SnapshotFile> valid = new HashSet<>();
    private volatile SegmentStore files;
    private boolean isDurable;

    /**
     * @param journal in whose directory the snapshots are.
     * @param corrupt is given each corrupt snapshot that is found.
     */
    SnapshotDirectory(final SegmentStore journal, final FailureLatch latch, final Consumer<JournalException> corrupt)
    {
        this.journal = journal;
        this.latch = latch;
        this.corrupt = corrupt;
    }

    /**
     * The snapshots, the newest first. Needs no lock.
     */
    List<SnapshotFile> list() throws IOException
    {
        if (null == files && journal.list().contains(JournalFiles.SNAPSHOTS))
        {
            files = journal.child(JournalFiles.SNAPSHOTS);
        }

        return null == files ? List.of() : SnapshotFile.newestFirst(files);
    }

    /**
     * Creates the directory if absent, durably.
     *
     * @param fence checked before a directory is deleted whose name may not be durable.
     */
    void open(final WriterFence fence) throws IOException
    {
        if (null == files)
        {
            final SegmentStore created = journal.child(JournalFiles.SNAPSHOTS);
            DirectoryForce.forceNew(journal, JournalFiles.SNAPSHOTS, latch, fence);
            files = created;
            isDurable = true;
        }
        forceOwnName();
    }

    /** Even if it existed: the process that created it may have been killed before its fsync. */
    private void forceOwnName() throws IOException
    {
        if (!isDurable)
        {
            DirectoryForce.force(journal, latch);
            isDurable = true;
        }
    }

    /**
     * The next snapshot of a sequence. A number that was discarded is not used again.
     */
    SnapshotFile next(final long sequence) throws IOException
    {
        long number = 0;
        for (final String name : files.list())
        {
            final SnapshotFile file = SnapshotFile.ofAny(name);
            if (null != file && file.sequence() == sequence)
            {
                number = Math.max(number, file.number());
            }
        }

        return new SnapshotFile(sequence, number + 1);
    }

    SegmentFile createTemporary() throws IOException
    {
        deleteTemporary();
        return files.create(SnapshotFile.TEMPORARY, Block.LENGTH);
    }

    void deleteTemporary() throws IOException
    {
        files.delete(SnapshotFile.TEMPORARY);
    }

    void force(final SegmentFile file) throws IOException
    {
        final long length = file.length();
        try
        {
            file.force(0, length);
        }
        catch (final Throwable ex)
        {
            throw latch.fail(ex).exception("fsync of a snapshot", ex);
        }
    }

    /**
     * Gives the temporary file its name, durably, and checks that the journal is still owned.
     */
    void publish(final SnapshotFile file, final WriterFence fence) throws IOException
    {
        files.rename(SnapshotFile.TEMPORARY, file.name());
        DirectoryForce.forceNew(files, file.name(), latch, fence);
        fence.check();
        valid.add(file);
    }

    /**
     * Verifies a snapshot and returns its origin, or null if it is corrupt, which is reported.
     */
    SnapshotFile.Origin verify(final SnapshotFile file) throws IOException
    {
        try
        {
            final SnapshotFile.Origin origin = file.verify(files);
            valid.add(file);
            return origin;
        }
        catch (final CorruptJournalException ex)
        {
            valid.remove(file);
            corrupt.accept(ex);
            return null;
        }
    }

    boolean isValid(final SnapshotFile file) throws IOException
    {
        return valid.contains(file) || null != verify(file);
    }

    void read(final SnapshotFile file, final Snapshots.Reader reader) throws IOException
    {
        file.read(files, reader);
    }

    boolean delete(final SnapshotFile file) throws IOException
    {
        files.delete(file.name());
        return valid.remove(file);
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
            // Even if there was none: a process that discarded them may have been killed before its fsync.
            DirectoryForce.force(files, latch);
        }

        return count;
    }

    /**
     * Makes all names durable, also those of a process that was killed before it did.
     */
    void forceNames() throws IOException
    {
        forceOwnName();
        DirectoryForce.force(files, latch);
    }

    void copyTo(final SegmentStore target, final long lastSequence) throws IOException
    {
        final List<SnapshotFile> present = list();
        if (null == files)
        {
            return;
        }

        // Also if it stays empty: it keeps the history that the copy needs for a replay.
        final SegmentStore child = target.child(JournalFiles.SNAPSHOTS);
        for (final SnapshotFile file : present)
        {
            if (file.sequence() <= lastSequence)
            {
                copy(file, child);
            }
        }
        child.force();
    }

    /**
     * Copies the snapshots while a writer may save some and delete others. Their names are not durable on return.
     *
     * @throws NoSuchFileException if each of those that were listed was deleted before it was copied.
     */
    void copyPresent(final SegmentStore target) throws IOException
    {
        NoSuchFileException gone = null;
        int copied = 0;
        final List<SnapshotFile> present = list();
        final SegmentStore child = null == files ? null : target.child(JournalFiles.SNAPSHOTS);
        // The newest first: it is deleted last.
        for (final SnapshotFile file : present)
        {
            try
            {
                copy(file, child);
                copied++;
            }
            catch (final NoSuchFileException ex)
            {
                if (files.list().contains(file.name()))
                {
                    throw ex;
                }
                gone = ex;
            }
        }
        if (0 == copied && null != gone)
        {
            throw gone;
        }
    }

    private void copy(final SnapshotFile file, final SegmentStore child) throws IOException
    {
        file.copy(files, child);
        try
        {
            // Verifies the copy, not the source.
            file.verify(child);
        }
        catch (final CorruptJournalException ex)
        {
            corrupt.accept(ex);
            child.delete(file.name());
        }
    }

    /**
     * Deletes, in a copy, the snapshots behind its last record. All names are durable on return.
     */
    void deleteAfter(final long lastSequence) throws IOException
    {
        for (final SnapshotFile file : list())
        {
            if (file.sequence() > lastSequence)
            {
                files.delete(file.name());
            }
        }
        if (null != files)
        {
            files.force();
        }
    }
}
