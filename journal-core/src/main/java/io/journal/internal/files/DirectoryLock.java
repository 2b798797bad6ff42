package io.journal.internal.files;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Map;

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
 * The first line of {@code journal.owner} names the owner. The second line records the segments that are known to be
 * allocated on the device, see {@link Allocation}.
 */
public final class DirectoryLock implements AutoCloseable
{
    private static final String KEY_PREFIX = "io.journal.lock.";
    private static final int MAX_OWNER_LENGTH = 256;
    private static final String UNKNOWN_OWNER = "unknown";

    private final Path directory;
    private final String key;
    private final FileChannel channel;
    private final FileLock fileLock;
    private final String owner;
    private Allocation allocation;
    // By this writer, durably once the directory is fsynced.
    private boolean isReservationRecorded;

    private DirectoryLock(
        final Path directory,
        final String key,
        final FileChannel channel,
        final FileLock fileLock,
        final String owner,
        final Allocation allocation)
    {
        this.directory = directory;
        this.key = key;
        this.channel = channel;
        this.fileLock = fileLock;
        this.owner = owner;
        this.allocation = allocation;
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
        final Path ownerPath = directory.resolve(JournalFiles.OWNER);
        final FileAttribute<?>[] ownerOnly = OwnerOnly.file(directory.getFileSystem());
        FirstChannel.prepare();
        create(path, ownerOnly);
        final String key = KEY_PREFIX + identityOf(path);
        final String owner = describeOwner();

        final Object holder = System.getProperties().putIfAbsent(key, owner);
        if (null != holder)
        {
            throw locked(directory, "this process: " + holder);
        }

        FileChannel channel = null;
        try
        {
            channel = FileChannel.open(path, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
            final FileLock fileLock = channel.tryLock();
            if (null == fileLock)
            {
                throw locked(directory, readOwner(ownerPath));
            }
            final Allocation allocation = Allocation.parse(readOwnerFile(ownerPath), inodeOf(path));
            final DirectoryLock lock = new DirectoryLock(directory, key, channel, fileLock, owner, allocation);
            lock.tryWriteOwner();
            return lock;
        }
        catch (final OverlappingFileLockException ex)
        {
            // This process holds the lock, but the system properties were replaced. The channel stays open, since
            // closing it would release the lock.
            System.getProperties().remove(key);
            throw locked(directory, "this process");
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(channel);
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
    void checkInPlace() throws IOException
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
     * The oldest segment from which all segments are known to be allocated on the device.
     *
     * @return its ordinal; {@link Long#MAX_VALUE} if no segment is known to be allocated.
     */
    public long allocatedFrom()
    {
        return allocation.from();
    }

    /**
     * Whether space was only reserved by a system that has ended since: the reservation is gone.
     */
    public boolean isReservationLost()
    {
        return allocation.isLost();
    }

    /**
     * Records from which ordinal on segments are allocated. Not durable: if the record is lost, the next opening
     * allocates them again.
     */
    public void allocatedFrom(final long ordinal)
    {
        final Allocation next = Allocation.onDevice(ordinal);
        if (!next.equals(allocation))
        {
            allocation = next;
            tryWriteOwner();
        }
    }

    /**
     * Records that space is only reserved from now on, until the system ends. Durable once the directory is fsynced.
     *
     * @throws IOException if that cannot be recorded.
     */
    public void onlyReserved() throws IOException
    {
        if (!isReservationRecorded)
        {
            final Allocation next = allocation.onlyReserved();
            writeOwner(next, true);
            allocation = next;
            isReservationRecorded = true;
        }
    }

    @Override
    public void close()
    {
        // Before the channel is closed: a close that fails to unlock keeps the descriptor open, and with it the lock.
        if (!isReleased())
        {
            isReleased();
        }
        CloseHelper.quietClose(channel);
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
            "journal is open for writing elsewhere: path=" + directory + ", owner=" + owner +
                "; close it there or choose another directory",
            UNKNOWN_OWNER.equals(owner) ? null : owner);
    }

    private static void create(final Path path, final FileAttribute<?>... ownerOnly) throws IOException
    {
        try
        {
            Files.createFile(path, ownerOnly);
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

    /**
     * Distinguishes this lock file from a copy by its inode and the inode's change time (ctime). Both are constant,
     * because the file is never written, and the change time of a copy cannot be set.
     *
     * @return the identity, or empty if the file system does not provide it.
     */
    private static String inodeOf(final Path path)
    {
        try
        {
            final Map<String, Object> inode =
                Files.readAttributes(path, "unix:dev,ino,ctime", LinkOption.NOFOLLOW_LINKS);
            return inode.get("dev") + ":" + inode.get("ino") + ":" + inode.get("ctime");
        }
        catch (final IOException | UnsupportedOperationException | IllegalArgumentException ignore)
        {
            return "";
        }
    }

    private void tryWriteOwner()
    {
        try
        {
            // An earlier writer of this boot may have recorded a reservation durably.
            writeOwner(allocation, allocation.isReserved());
        }
        catch (final IOException ignore)
        {
            // Advisory: on a full disk, the error of a rejected writer lacks the owner's name.
        }
    }

    // A FileOutputStream, because an interrupt would close a channel.
    private void writeOwner(final Allocation allocation, final boolean isForced) throws IOException
    {
        final Path path = directory.resolve(JournalFiles.OWNER);
        final String line = allocation.line(inodeOf(directory.resolve(JournalFiles.LOCK)));
        // Replaced as a whole: if this fails, what was recorded before stays.
        final Path written = directory.resolve(JournalFiles.SPARE_PREFIX + JournalFiles.OWNER);
        try
        {
            Files.deleteIfExists(written);
            create(written, OwnerOnly.file(directory.getFileSystem()));
            write(written, owner + "\n" + line, isForced);
            Files.move(written, path, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final IOException ex)
        {
            Files.deleteIfExists(written);
            throw ex;
        }
    }

    private static void write(final Path path, final String content, final boolean isForced) throws IOException
    {
        try (FileOutputStream output = new FileOutputStream(path.toFile()))
        {
            output.write(content.getBytes(StandardCharsets.UTF_8));
            if (isForced)
            {
                output.getFD().sync();
            }
        }
    }

    private static String readOwner(final Path path)
    {
        final String content = readOwnerFile(path);
        return content.isEmpty() ? UNKNOWN_OWNER : content.split("\n")[0];
    }

    private static String readOwnerFile(final Path path)
    {
        try
        {
            // Checked before the file is opened: opening a pipe would block.
            return FileType.REGULAR_FILE == FileType.of(path, LinkOption.NOFOLLOW_LINKS) ? read(path) : "";
        }
        catch (final IOException ignore)
        {
            return "";
        }
    }

    private static String read(final Path path) throws IOException
    {
        try (FileInputStream input = new FileInputStream(path.toFile()))
        {
            return new String(input.readNBytes(MAX_OWNER_LENGTH), StandardCharsets.UTF_8).trim();
        }
    }
}
