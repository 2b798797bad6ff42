package io.journal.internal.manage;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Pattern;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.internal.files.CursorFile;
import io.journal.internal.files.CursorName;
import io.journal.internal.files.JournalMeta;
import io.journal.internal.follow.FollowedSource;
import io.journal.internal.read.KeptPosition;
import io.journal.internal.read.ReadSource;
import io.journal.store.SegmentStore;
import io.journal.store.SegmentStore.NotBegunException;

/**
 * A cursor that a follower keeps in a directory of its own, as it must not write into the journal's: a file like those
 * of the writer. The writer does not know it, so a truncation does not move it back: the term of its record shows that
 * it missed one. Thread-safe; the monitor of its lock is taken last.
 */
public final class FollowerCursor implements KeptPosition
{
    private static final Pattern TEMPORARY_SUFFIX = Pattern.compile("\\.new-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final SegmentStore directory;
    private final Path path;
    private final FollowedSource source;
    private final CursorFile file;
    private final Object lock = new Object();
    // Guarded by the lock.
    private Exception failure;
    private boolean isDeleted;

    private FollowerCursor(
        final SegmentStore directory, final Path path, final FollowedSource source, final CursorFile file)
    {
        this.directory = directory;
        this.path = path;
        this.source = source;
        this.file = file;
    }

    /**
     * Opens the cursor of a name, and creates it if there is none. Other processes may do so at the same time.
     *
     * @param path of its file, which is in the directory.
     * @throws CorruptJournalException if its file cannot be used, or is that of another journal.
     */
    static FollowerCursor open(
        final SegmentStore directory, final Path path, final String name, final FollowedSource source)
        throws IOException
    {
        CursorFile file;
        boolean isNew = false;
        try
        {
            file = read(directory, path, name, source.uuid());
        }
        catch (final NoSuchFileException ignore)
        {
            isNew = create(directory, path, name, source);
            file = read(directory, path, name, source.uuid());
        }
        forceName(directory, path, isNew);
        deleteTemporaryFiles(directory, name);
        return new FollowerCursor(directory, path, source, file);
    }

    /**
     * Makes the name of the file durable, also if it existed: the process that created it may have been killed before
     * this fsync. If it fails, a new file is deleted: the next one may succeed although a power loss takes the name.
     */
    private static void forceName(final SegmentStore directory, final Path path, final boolean isNew)
        throws IOException
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
            if (isNew)
            {
                deleteQuietly(directory, fileName(path));
            }
            throw ex;
        }
    }

    private static CursorFile read(
        final SegmentStore directory, final Path path, final String name, final UUID uuid) throws IOException
    {
        try
        {
            return CursorFile.read(directory, path.toString(), name, uuid);
        }
        catch (final CorruptJournalException ex)
        {
            throw new CorruptJournalException(
                "a follower's " + ex.getMessage() + "; delete the file to let this consumer begin again", ex,
                CursorName.fileName(name), ex.offset(), ex.sequence());
        }
    }

    /**
     * Creates the file unless it is there by then. Others create files in this directory, too, so that the temporary
     * name is one of this call alone.
     *
     * @return whether it was not.
     */
    private static boolean create(
        final SegmentStore directory, final Path path, final String name, final FollowedSource source)
        throws IOException
    {
        final Path temporary = path.resolveSibling(CursorName.fileName(name) + ".new-" + UUID.randomUUID());
        final JournalMeta.State state = source.currentState();
        try
        {
            final long sequence = state.startSequence - 1;
            CursorFile.write(
                directory, fileName(temporary), name, source.uuid(), source.termOf(sequence), sequence);
            link(directory, temporary, path);
            return true;
        }
        catch (final FileAlreadyExistsException | NoSuchFileException ignore)
        {
            // Another process created the cursor first, and maybe deleted the temporary file.
            return false;
        }
        finally
        {
            deleteQuietly(directory, fileName(temporary));
        }
    }

    /** Unlike a rename, a link never replaces a file. */
    private static void link(final SegmentStore directory, final Path temporary, final Path path) throws IOException
    {
        try
        {
            Files.createLink(path, temporary);
        }
        catch (final FileAlreadyExistsException | NoSuchFileException ex)
        {
            throw ex;
        }
        catch (final IOException | UnsupportedOperationException ignore)
        {
            // A file system without hard links.
            directory.rename(fileName(temporary), fileName(path));
        }
    }

    /**
     * Deletes what killed processes left. A process that is about to create the cursor finds that it exists.
     */
    private static void deleteTemporaryFiles(final SegmentStore directory, final String name) throws IOException
    {
        final String prefix = CursorName.fileName(name);
        for (final String other : directory.list())
        {
            if (other.startsWith(prefix) && TEMPORARY_SUFFIX.matcher(other.substring(prefix.length())).matches())
            {
                deleteQuietly(directory, other);
            }
        }
    }

    private static void deleteQuietly(final SegmentStore directory, final String fileName)
    {
        try
        {
            directory.delete(fileName);
        }
        catch (final IOException ignore)
        {
            // The next opening of the cursor deletes it.
        }
    }

    private static String fileName(final Path path)
    {
        return String.valueOf(path.getFileName());
    }

    /** The file, in its real directory. */
    public Path path()
    {
        return path;
    }

    /** Whether positions can be saved: it was not deleted, and no save has failed. */
    boolean isUsable()
    {
        synchronized (lock)
        {
            return !isDeleted && null == failure;
        }
    }

    /** Ends its use, as its file was deleted. */
    void retire()
    {
        synchronized (lock)
        {
            isDeleted = true;
        }
    }

    public boolean isOf(final FollowedSource other)
    {
        return source == other;
    }

    @Override
    public String name()
    {
        return file.name();
    }

    @Override
    public long sequence()
    {
        return file.sequence();
    }

    @Override
    public Saved saved()
    {
        synchronized (lock)
        {
            return new Saved(file.sequence(), file.term());
        }
    }

    @Override
    public void save(final long sequence, final long epoch)
    {
        checkOpen();
        // A record that is not durable may be lost, and another one get its sequence: the cursor would skip that one.
        source.checkDurable(sequence);
        if (!commit(sequence, epoch))
        {
            throw new IllegalStateException(
                "records were truncated while the cursor was saved: name=" + name() + ", sequence=" + sequence);
        }
    }

    /** What its reader has read was durable, also while a truncation is in progress that leaves it. */
    @Override
    public boolean commit(final long sequence, final long epoch)
    {
        checkOpen();
        final long term = source.termOf(sequence);
        if (epoch != source.currentState().epoch)
        {
            // The term may be that of another record.
            return false;
        }

        write(sequence, term);
        return true;
    }

    private void checkOpen()
    {
        if (source.isClosed())
        {
            throw new IllegalStateException("journal is closed");
        }
    }

    private void write(final long sequence, final long term)
    {
        synchronized (lock)
        {
            checkUsable();
            open();
            try (file)
            {
                file.save(sequence, term);
            }
            catch (final IOException ex)
            {
                // After a failed fsync, the page cache may hold what is not on the device.
                failure = ex;
                throw failed(ex);
            }
        }
    }

    /** A failure to open, as with file-descriptor exhaustion, is no failure of storage. */
    private void open()
    {
        try
        {
            file.open();
        }
        catch (final IOException ex)
        {
            throw new JournalException(
                "cannot open a cursor, nothing was saved: file=" + path + "; try again; cause=" + ex, ex);
        }
    }

    private void checkUsable()
    {
        if (isDeleted)
        {
            throw new IllegalStateException("cursor was deleted: name=" + name());
        }
        if (null != failure)
        {
            throw failed(failure);
        }
    }

    private JournalException failed(final Exception cause)
    {
        return new JournalException(
            "saving a cursor failed: file=" + path + "; ask for it again; cause=" + cause, cause, fileName(path),
            JournalException.UNKNOWN, JournalException.UNKNOWN);
    }

    @Override
    public long currentEpoch()
    {
        return source.currentState().epoch;
    }

    @Override
    public long lag()
    {
        final long done = Math.max(sequence(), source.currentState().startSequence - 1);
        return Math.max(0, source.lastSequence(ReadSource.End.WRITTEN) - done);
    }

    @Override
    public void delete()
    {
        synchronized (lock)
        {
            try
            {
                if (!isDeleted)
                {
                    directory.delete(fileName(path));
                    isDeleted = true;
                }
                // Also if it was deleted before: that fsync may have failed to begin.
                directory.force();
            }
            catch (final IOException ex)
            {
                throw new JournalException("cannot delete a cursor: file=" + path + "; cause=" + ex, ex);
            }
        }
    }
}
