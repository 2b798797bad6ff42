// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.manage;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.platform.FileType;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * The target of a backup: a temporary directory beside it, which becomes the target by a rename once all files in it
 * are durable. So a crash leaves no target or a complete one. Used by the thread that makes the backup.
 */
public final class BackupTarget implements AutoCloseable
{
    private static final String TEMPORARY_SUFFIX = ".unfinished-backup";

    private final Path target;
    private final Path temporary;
    private final SegmentStore parent;
    private SegmentStore files;
    private DirectoryLock lock;
    private boolean isNew;
    private boolean isRenamed;
    private boolean isComplete;

    /**
     * @param parent store of the target's parent directory.
     */
    BackupTarget(final Path target, final SegmentStore parent)
    {
        this.target = target;
        temporary = temporary(target);
        this.parent = parent;
    }

    /** Returns the absolute path of a target. Throws if it exists, lies within the journal, or has no parent. */
    public static Path check(final Path directory, final Path journal)
    {
        final Path target = directory.toAbsolutePath().normalize();
        try
        {
            if (FileType.ABSENT != FileType.of(target, LinkOption.NOFOLLOW_LINKS))
            {
                throw exists(directory, null);
            }
            final FileType found = FileType.of(temporary(target), LinkOption.NOFOLLOW_LINKS);
            if (FileType.ABSENT != found && FileType.DIRECTORY != found)
            {
                throw new IllegalArgumentException("not a directory: path=" + temporary(target));
            }
            if (FileType.nearestRealPath(target).startsWith(journal.toRealPath()))
            {
                throw new IllegalArgumentException(
                    "backup would lie within the journal: target=" + directory + ", path=" + journal);
            }
            final Path parent = target.getParent();
            if (null == parent || FileType.DIRECTORY != FileType.of(parent))
            {
                throw new NoSuchFileException(String.valueOf(parent), null, "the parent of the target must exist");
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("backup failed: target=" + directory + "; cause=" + ex, ex);
        }

        return target;
    }

    /**
     * Makes an empty temporary directory, whose lock excludes other backups to this target.
     *
     * @throws JournalLockedException if another backup to this target is in progress.
     */
    SegmentStore begin() throws IOException
    {
        final boolean wasAbsent = FileType.ABSENT == FileType.of(temporary, LinkOption.NOFOLLOW_LINKS);
        // The parent exists; its name must be durable, too.
        parent.makeDirectory();
        files = parent.child(name(temporary));
        isNew = wasAbsent;
        try
        {
            lock = DirectoryLock.acquire(temporary);
        }
        catch (final JournalLockedException ex)
        {
            // Another backup uses the directory.
            isNew = false;
            throw ex;
        }
        deleteFiles();
        return files;
    }

    /** Makes the target appear, durably. The files and their names must be durable. */
    void complete() throws IOException
    {
        try
        {
            parent.rename(name(temporary), name(target));
        }
        catch (final FileAlreadyExistsException ex)
        {
            throw exists(target, ex);
        }
        isRenamed = true;
        parent.force();
        isComplete = true;
    }

    @Override
    public void close()
    {
        try
        {
            if (!isComplete)
            {
                remove();
            }
        }
        catch (final IOException ignore)
        {
            // The reason why the backup failed matters more. The next backup removes the rest.
        }
        finally
        {
            CloseHelper.quietClose(lock);
        }
    }

    private void remove() throws IOException
    {
        if (isRenamed)
        {
            parent.rename(name(target), name(temporary));
            // Fsynced before anything is deleted: after a crash the target must not appear without its files.
            parent.force();
        }
        if (null != lock)
        {
            deleteFiles();
        }
        // Without the lock, deletes only a directory that was created here, because no other process uses that.
        if (null != lock || isNew)
        {
            files.delete(JournalFiles.LOCK);
            parent.delete(name(temporary));
        }
    }

    /** Deletes all files except the lock file. */
    private void deleteFiles() throws IOException
    {
        for (final String name : files.list())
        {
            if (JournalFiles.SNAPSHOTS.equals(name))
            {
                final SegmentStore child = files.child(name);
                for (final String childName : child.list())
                {
                    child.delete(childName);
                }
            }
            if (!JournalFiles.LOCK.equals(name))
            {
                files.delete(name);
            }
        }
    }

    /** Directory in which a backup is made until it is complete. */
    public static Path temporary(final Path target)
    {
        return target.resolveSibling(name(target) + TEMPORARY_SUFFIX);
    }

    private static String name(final Path path)
    {
        return String.valueOf(path.getFileName());
    }

    private static IllegalArgumentException exists(final Path target, final Throwable cause)
    {
        return new IllegalArgumentException("the target of a backup must not exist: target=" + target, cause);
    }
}
