package io.journal.internal.files;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.FirstChannel;
import io.journal.internal.platform.FullDisk;
import io.journal.internal.platform.NotRegularFileException;
import io.journal.internal.platform.OwnerOnly;
import io.journal.store.SegmentStore.NoSpaceException;
import org.agrona.CloseHelper;

/**
 * Excludes a second writer with the operating system's lock on {@code journal.lock}, which is released when the process
 * ends.
 * <p>
 * On many systems, closing any other descriptor of that file releases the lock of the whole process. The file is
 * therefore opened only after checking a list of the locks that this JVM holds. The list is kept as text in the system
 * properties, which other class loaders see too. {@link WriterFence} detects what the lock cannot prevent.
 * <p>
 * The file names the owner, for people. Nothing depends on that. The lock is on a byte behind the text, since some
 * systems keep others from reading what is locked.
 */
public final class DirectoryLock implements AutoCloseable
{
    private static final String KEY_PREFIX = "io.journal.lock.";
    private static final int MAX_OWNER_LENGTH = 256;
    private static final String UNKNOWN_OWNER = "unknown";
    private static final long LOCKED_OFFSET = 1L << 30;

    private final Path directory;
    private final String key;
    // Not opened as a channel: an interrupt while the owner is written would close that, and release the lock.
    private final RandomAccessFile file;
    private final FileLock fileLock;

    private DirectoryLock(final Path directory, final String key, final RandomAccessFile file, final FileLock fileLock)
    {
        this.directory = directory;
        this.key = key;
        this.file = file;
        this.fileLock = fileLock;
    }

    /**
     * Acquires the lock.
     *
     * @throws JournalLockedException if another writer holds it; the message names the owner.
     * @throws NoSpaceException       if the disk has no room for the file.
     */
    public static DirectoryLock acquire(final Path directory) throws IOException
    {
        final Path path = directory.resolve(JournalFiles.LOCK);
        FirstChannel.prepare();
        create(path);
        final String key = KEY_PREFIX + identityOf(path);
        final String owner = describeOwner();

        final Object holder = System.getProperties().putIfAbsent(key, owner);
        if (null != holder)
        {
            throw locked(directory, "this process: " + holder);
        }

        RandomAccessFile file = null;
        try
        {
            file = open(path);
            final FileLock fileLock = file.getChannel().tryLock(LOCKED_OFFSET, 1, false);
            if (null == fileLock)
            {
                throw locked(directory, read(file));
            }
            tryWrite(file, owner);
            return new DirectoryLock(directory, key, file, fileLock);
        }
        catch (final OverlappingFileLockException ex)
        {
            // This process holds the lock, but the system properties were replaced. The file stays open, since
            // closing it would release the lock.
            System.getProperties().remove(key);
            throw locked(directory, "this process");
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(file);
            System.getProperties().remove(key);
            throw ex;
        }
    }

    /**
     * Checks that the locked file is still the journal's lock file. It is not if the journal's directory or the file
     * itself was removed, moved or replaced: another writer may then be active on the path.
     *
     * @throws JournalException if it is not.
     * @throws IOException      if that cannot be determined.
     */
    public void checkInPlace() throws IOException
    {
        final Path path = directory.resolve(JournalFiles.LOCK);
        String found;
        try
        {
            found = KEY_PREFIX + identityOf(path);
        }
        catch (final NoSuchFileException | NotRegularFileException ex)
        {
            found = "no file";
        }
        catch (final IOException ex)
        {
            if (FileType.DIRECTORY == FileType.of(directory))
            {
                throw ex;
            }
            found = "no directory";
        }

        if (!key.equals(found))
        {
            throw new JournalException(
                "the journal's directory or its lock file was removed, moved or replaced while the journal was open: " +
                    "file=" + path + ", expected=" + key.substring(KEY_PREFIX.length()) + ", found=" +
                    (found.startsWith(KEY_PREFIX) ? found.substring(KEY_PREFIX.length()) : found));
        }
    }

    /**
     * Reads who holds the lock, or held it last. For people: it may be gone by now.
     *
     * @return the text; empty if there is none.
     */
    public static String owner(final Path directory)
    {
        final Path path = directory.resolve(JournalFiles.LOCK);
        try
        {
            // Closing the file would release a lock that this process holds.
            final String holder = System.getProperty(KEY_PREFIX + identityOf(path));
            if (null != holder)
            {
                return holder;
            }
            try (RandomAccessFile file = new RandomAccessFile(path.toFile(), "r"))
            {
                return read(file);
            }
        }
        catch (final IOException ignore)
        {
            return "";
        }
    }

    @Override
    public void close()
    {
        // Before the file is closed: a close that fails to unlock keeps the descriptor open, and with it the lock.
        if (!isReleased())
        {
            isReleased();
        }
        CloseHelper.quietClose(file);
        System.getProperties().remove(key);
    }

    private boolean isReleased()
    {
        try
        {
            fileLock.release();
            return true;
        }
        catch (final IOException ignore)
        {
            return false;
        }
    }

    private static JournalLockedException locked(final Path directory, final String owner)
    {
        return new JournalLockedException(
            "journal is open for writing elsewhere: path=" + directory + ", owner=" +
                (owner.isEmpty() ? UNKNOWN_OWNER : owner) +
                "; close it there or choose another directory",
            owner.isEmpty() ? null : owner);
    }

    private static void create(final Path path) throws IOException
    {
        try
        {
            Files.createFile(path, OwnerOnly.file(path.getFileSystem()));
        }
        catch (final FileAlreadyExistsException ignore)
        {
            // Expected: the lock file is never deleted.
        }
        catch (final IOException ex)
        {
            if (FullDisk.isReason(ex, path.toAbsolutePath().getParent(), 1))
            {
                throw new NoSpaceException("no space for a file: file=" + path, ex);
            }
            throw ex;
        }
    }

    private static String identityOf(final Path path) throws IOException
    {
        final BasicFileAttributes attributes =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile())
        {
            throw new NotRegularFileException(path);
        }

        final Object fileKey = attributes.fileKey();
        return null != fileKey ? fileKey.toString() : path.toRealPath().toString();
    }

    private static String describeOwner()
    {
        return "pid=" + ProcessHandle.current().pid() + ", since=" + Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    private static RandomAccessFile open(final Path path) throws IOException
    {
        try
        {
            return new RandomAccessFile(path.toFile(), "rw");
        }
        catch (final FileNotFoundException ex)
        {
            // Thrown for any cause.
            if (!Files.isReadable(path) || !Files.isWritable(path))
            {
                throw (IOException)new AccessDeniedException(path.toString()).initCause(ex);
            }
            throw new IOException(ex.getMessage(), ex);
        }
    }

    private static void tryWrite(final RandomAccessFile file, final String owner)
    {
        try
        {
            // First: on a full disk the file names nobody rather than an earlier owner.
            file.setLength(0);
            file.write(owner.getBytes(StandardCharsets.UTF_8));
        }
        catch (final IOException ignore)
        {
            // The error of a rejected writer lacks the owner's name.
        }
    }

    private static String read(final RandomAccessFile file)
    {
        try
        {
            final byte[] text = new byte[MAX_OWNER_LENGTH];
            final int length = Math.max(0, file.read(text));
            // One line: the file may have been written by anyone.
            return new String(text, 0, length, StandardCharsets.UTF_8).trim().split("\n")[0];
        }
        catch (final IOException ignore)
        {
            return "";
        }
    }
}
