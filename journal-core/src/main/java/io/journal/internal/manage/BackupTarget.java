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
import io.journal.store.FileType;
import io.journal.store.SegmentStore;
import org.agrona.CloseHelper;

/**
 * The directory that a backup is made in: empty, absent, or holding what a backup of the same journal has left that did
 * not end.
 * <p>
 * The first file of a backup is what is going to be its {@code journal.meta}, under another name, and the last step is
 * the renaming. So the directory says at any time that it holds an unfinished backup, or it is the journal.
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
     * A directory that a backup may be put into, as far as its path tells.
     *
     * @param journal directory of the journal.
     * @return the directory, absolute.
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
     * Looks whether a backup can be made here. Changes nothing.
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
     * Makes the directory one of an unfinished backup and nothing else, and keeps others out of it.
     *
     * @throws IllegalArgumentException if there is anything in it but the remains of an unfinished backup of the same
     *                                  journal; nothing was changed.
     * @throws JournalLockedException   if somebody else makes a backup there; nothing was changed.
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
            // Another backup is at work in the directories made here.
            absent.clear();
            throw ex;
        }
        // Again, now that nobody else makes a backup or a journal of it.
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
     * Makes it a journal, once all else is there.
     */
    void complete() throws IOException
    {
        store.rename(JournalFiles.BACKUP, JournalFiles.META);
        store.force();
        isComplete = true;
    }

    /**
     * Lets others in. Unless it is complete, what was made is removed.
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
            // A file that is being prepared comes before the one that says what it is all about.
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
     * Removes what a backup makes; last what says that it is one.
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
                    // Its name may not be on the device. From here on it must not be taken for a journal.
                    store.rename(JournalFiles.META, JournalFiles.BACKUP);
                }
                clear();
            }
            catch (final IOException ignore)
            {
                // The reason why there is no backup says more. What is left says what it is.
            }
        }
        // Also if taking the lock failed in a directory that was made here: nobody else uses that.
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
            // In use by somebody else, or left for the next backup to remove.
        }
    }
}
