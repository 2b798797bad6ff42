// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.files;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.internal.platform.Descriptors;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.FullDisk;
import io.journal.internal.platform.Permissions;
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
 * The file names the owner, for people. Nothing depends on that. The lock is on a byte after the text, since some
 * systems keep other processes from reading locked bytes.
 */
public final class DirectoryLock implements AutoCloseable
{
    private static final String KEY_PREFIX = "io.journal.lock.";
    private static final int MAX_OWNER_LENGTH = 256;
    private static final String UNKNOWN_OWNER = "unknown";
    private static final long LOCKED_OFFSET = 1L << 30;

    private final Path directory;
    private final String key;
    private final FileChannel channel;
    private final FileLock fileLock;

    private DirectoryLock(final Path directory, final String key, final FileChannel channel, final FileLock fileLock)
    {
        this.directory = directory;
        this.key = key;
        this.channel = channel;
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
        Descriptors.prepareChannels();
        create(path);
        final String key = KEY_PREFIX + identityOf(path);
        final String owner = describeOwner();

        final Object holder = System.getProperties().putIfAbsent(key, owner);
        if (null != holder)
        {
            throw locked(directory, "this process: " + holder);
        }

        FileChannel channel = null;
        // An interrupt while the owner is written would close the channel, and release the lock.
        boolean wasInterrupted = Thread.interrupted();
        try
        {
            while (true)
            {
                channel = FileChannel.open(
                    path, StandardOpenOption.READ, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
                final FileLock fileLock = channel.tryLock(LOCKED_OFFSET, 1, false);
                if (null == fileLock)
                {
                    throw locked(directory, read(Channels.newInputStream(channel)));
                }
                tryWrite(channel, owner);
                if (channel.isOpen())
                {
                    return new DirectoryLock(directory, key, channel, fileLock);
                }
                wasInterrupted |= Thread.interrupted();
            }
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
        finally
        {
            if (wasInterrupted)
            {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Checks that the locked file is still the journal's lock file. If the journal's directory or the file itself was
     * removed, moved or replaced, another writer may be active on the path.
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
        catch (final NoSuchFileException | FileType.NotRegularFileException ex)
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
     * Reads the current or last owner of the lock. For people: the owner may be gone by now.
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
            try (InputStream input = Files.newInputStream(path, LinkOption.NOFOLLOW_LINKS))
            {
                return read(input);
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
        // Released before the channel is closed: a close that fails to unlock keeps the descriptor open, and with it
        // the lock.
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
            "journal is open for writing elsewhere: path=" + directory + ", owner=" +
                (owner.isEmpty() ? UNKNOWN_OWNER : owner) +
                "; close it there or choose another directory",
            owner.isEmpty() ? null : owner);
    }

    private static void create(final Path path) throws IOException
    {
        try
        {
            Files.createFile(path, Permissions.ofFile(path.getFileSystem()));
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
        final Object fileKey = FileType.regularFileKey(path);
        return null != fileKey ? fileKey.toString() : path.toRealPath().toString();
    }

    private static String describeOwner()
    {
        return "pid=" + ProcessHandle.current().pid() + ", since=" + Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    private static void tryWrite(final FileChannel channel, final String owner)
    {
        try
        {
            // Truncated first, so that on a full disk the file names nobody rather than an earlier owner.
            channel.truncate(0);
            channel.write(ByteBuffer.wrap(owner.getBytes(StandardCharsets.UTF_8)));
        }
        catch (final IOException ignore)
        {
            // The error of a rejected writer lacks the owner's name.
        }
    }

    private static String read(final InputStream input)
    {
        try
        {
            final String text = new String(input.readNBytes(MAX_OWNER_LENGTH), StandardCharsets.UTF_8);
            // Takes one line only, because the file's content may be anything.
            return text.trim().split("\n")[0];
        }
        catch (final IOException ignore)
        {
            return "";
        }
    }
}
