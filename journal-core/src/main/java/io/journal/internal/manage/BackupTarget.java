package io.journal.internal.manage;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.DirectoryLock;
import io.journal.internal.files.JournalFiles;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.files.SnapshotFile;
import io.journal.internal.platform.FileType;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * The target directory of a backup: empty, absent, or with the remains of an unfinished backup of the same journal.
 * <p>
 * The first file of a backup is its future {@code journal.meta}, under another name, and the last step renames it. So
 * at any time the directory is identified as an unfinished backup, or it is a complete journal.
 */
public final class BackupTarget implements AutoCloseable
{
    private final Path directory;
    private final SegmentStore store;
    private final JournalMeta meta;
    private final List<Path> absent = new ArrayList<>();
    private DirectoryLock lock;
    private boolean isOurs;
    private boolean isComplete;

    /**
     * @param directory of the store.
     * @param meta      of the journal that is copied.
     */
    public BackupTarget(final Path directory, final SegmentStore store, final JournalMeta meta)
    {
        this.directory = directory;
        this.store = store;
        this.meta = meta;
    }

    /**
     * Checks whether a path can be the target of a backup. The content of the directory is not checked.
     *
     * @param journal directory of the journal.
     * @return the absolute path.
     * @throws IllegalArgumentException if it is no directory, or within the journal.
     */
    public static Path checkPlace(final Path directory, final Path journal)
    {
        final Path path = directory.toAbsolutePath().normalize();
        try
        {
            if (FileType.DIRECTORY != FileType.of(path) &&
                FileType.ABSENT != FileType.of(path, LinkOption.NOFOLLOW_LINKS))
            {
                throw new IllegalArgumentException(
                    "a backup needs an empty directory, or none: target=" + directory + ", found=no directory");
            }
            if (existing(path).toRealPath().startsWith(journal.toRealPath()))
            {
                throw new IllegalArgumentException(
                    "backup would lie within the journal: target=" + directory + ", path=" + journal);
            }
        }
        catch (final IOException ex)
        {
            throw new JournalException("backup failed: target=" + directory + "; cause=" + ex, ex);
        }

        return path;
    }

    private static Path existing(final Path path) throws IOException
    {
        Path existing = path;
        while (null != existing && FileType.ABSENT == FileType.of(existing))
        {
            existing = existing.getParent();
        }
        if (null == existing)
        {
            throw new NoSuchFileException(path.toString());
        }

        return existing;
    }

    /**
     * Checks whether a backup can be made here. Changes nothing.
     *
     * @throws IllegalArgumentException if there is anything but the remains of an unfinished backup of the same
     *                                  journal.
     */
    public void check()
    {
        try
        {
            checkContent();
        }
        catch (final IOException ex)
        {
            throw new JournalException("backup failed: target=" + directory + "; cause=" + ex, ex);
        }
    }

    /**
     * Turns the directory into that of an unfinished backup and nothing else, and takes its lock, which excludes other
     * backups and writers.
     *
     * @throws IllegalArgumentException if there is anything in it but the remains of an unfinished backup of the same
     *                                  journal; nothing was changed.
     * @throws JournalLockedException   if another backup is being made there; nothing was changed.
     */
    void begin(final long timeMs) throws IOException
    {
        checkContent();
        for (Path path = directory; null != path && FileType.ABSENT == FileType.of(path); path = path.getParent())
        {
            absent.add(path);
        }
        store.makeDirectory();
        try
        {
            lock = DirectoryLock.acquire(directory);
        }
        catch (final JournalLockedException ex)
        {
            // Another backup uses the directories created here.
            absent.clear();
            throw ex;
        }
        // Again, now that the lock excludes another backup or writer.
        checkContent();
        isOurs = true;
        clear();

        final JournalMeta.State state = meta.state;
        JournalMeta.create(
            store,
            JournalFiles.BACKUP,
            meta.uuid,
            meta.segmentLength,
            new JournalMeta.State(1, state.epoch, state.startPosition, state.startSequence, state.cut, false),
            timeMs);
    }

    /**
     * Turns the backup into a journal, once all other files are there.
     */
    void complete() throws IOException
    {
        store.rename(JournalFiles.BACKUP, JournalFiles.META);
        store.force();
        isComplete = true;
    }

    /**
     * Releases the lock. An incomplete backup is removed before.
     */
    @Override
    public void close()
    {
        if (!isComplete)
        {
            undo();
        }
        CloseHelper.quietClose(lock);
    }

    private void checkContent() throws IOException
    {
        final List<String> names = store.list();
        if (names.contains(JournalFiles.META))
        {
            throw inUse(JournalFiles.META, null);
        }
        final boolean isUnfinished = names.contains(JournalFiles.BACKUP);
        for (final String name : names)
        {
            // The temporary file precedes the one that identifies an unfinished backup.
            if (!(isUnfinished && isOfCopy(name) || isOfLock(name) || JournalMeta.TEMPORARY.equals(name)))
            {
                throw inUse(name, null);
            }
        }
        if (isUnfinished)
        {
            checkSameJournal();
        }
        if (names.contains(JournalFiles.CURSORS))
        {
            for (final String name : store.child(JournalFiles.CURSORS).list())
            {
                if (!CursorFile.SPARE.equals(name) && null == CursorFile.cursorOf(name))
                {
                    throw inUse(JournalFiles.CURSORS + "/" + name, null);
                }
            }
        }
        if (names.contains(JournalFiles.SNAPSHOTS))
        {
            for (final String name : store.child(JournalFiles.SNAPSHOTS).list())
            {
                if (!SnapshotFile.TEMPORARY.equals(name) && null == SnapshotFile.of(name))
                {
                    throw inUse(JournalFiles.SNAPSHOTS + "/" + name, null);
                }
            }
        }
    }

    private void checkSameJournal() throws IOException
    {
        try
        {
            if (!meta.uuid.equals(JournalMeta.read(store, JournalFiles.BACKUP, true).uuid))
            {
                throw inUse("an unfinished backup of another journal", null);
            }
        }
        catch (final JournalException ex)
        {
            throw inUse(JournalFiles.BACKUP, ex);
        }
    }

    private IllegalArgumentException inUse(final String found, final Throwable cause)
    {
        return new IllegalArgumentException(
            "a backup needs an empty directory, or none: target=" + directory + ", found=" + found, cause);
    }

    private static boolean isOfLock(final String name)
    {
        return JournalFiles.LOCK.equals(name) || JournalFiles.OWNER.equals(name);
    }

    private static boolean isOfCopy(final String name)
    {
        return JournalFiles.BACKUP.equals(name) || JournalFiles.MARK.equals(name) ||
            isOfDirectory(name) || JournalFiles.isSpare(name) || JournalFiles.isOrdinal(name);
    }

    private static boolean isOfDirectory(final String name)
    {
        return JournalFiles.CURSORS.equals(name) || JournalFiles.SNAPSHOTS.equals(name);
    }

    /**
     * Removes the files of a backup, the one that identifies it last.
     */
    private void clear() throws IOException
    {
        final List<String> names = store.list();
        for (final String directoryName : List.of(JournalFiles.CURSORS, JournalFiles.SNAPSHOTS))
        {
            if (names.contains(directoryName))
            {
                final SegmentStore child = store.child(directoryName);
                for (final String name : child.list())
                {
                    child.delete(name);
                }
            }
        }
        for (final String name : names)
        {
            if (isOfCopy(name) && !JournalFiles.BACKUP.equals(name))
            {
                store.delete(name);
            }
        }
        if (names.contains(JournalFiles.BACKUP))
        {
            store.force();
            store.delete(JournalFiles.BACKUP);
        }
    }

    private void undo()
    {
        if (isOurs)
        {
            try
            {
                if (store.list().contains(JournalFiles.META))
                {
                    // The rename may not be durable. From here on the directory must not be taken for a journal.
                    store.rename(JournalFiles.META, JournalFiles.BACKUP);
                }
                clear();
            }
            catch (final IOException ignore)
            {
                // The reason why the backup failed matters more. The remains are identified as an unfinished backup.
            }
        }
        // Also if taking the lock failed in a directory that was created here: no other process uses that.
        if (isOurs || absent.contains(directory))
        {
            deleteQuietly(List.of(directory.resolve(JournalFiles.OWNER), directory.resolve(JournalFiles.LOCK)));
        }
        deleteQuietly(absent);
    }

    private static void deleteQuietly(final List<Path> paths)
    {
        try
        {
            for (final Path path : paths)
            {
                Files.deleteIfExists(path);
            }
        }
        catch (final IOException ignore)
        {
            // In use by another process, or left for the next backup to remove.
        }
    }
}
