package io.journal;

import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.OverlappingFileLockException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileAttribute;
import java.time.Instant;
import java.time.temporal.ChronoUnit;

import io.journal.store.FileType;
import io.journal.store.OwnerOnly;
import org.agrona.CloseHelper;

/**
 * Keeps a second writer out: the operating system's lock on {@code journal.lock}, which ends with its process.
 * <p>
 * Closing any other descriptor of that file would give up this process's lock on many systems. So the file is opened
 * only after asking a list of the locks this JVM holds. The list is kept in the system properties, as texts, where
 * other class loaders find it too.
 */
final class DirectoryLock implements AutoCloseable
{
    private static final String KEY_PREFIX = "io.journal.lock.";
    private static final int MAX_OWNER_LENGTH = 256;
    private static final String UNKNOWN_OWNER = "unknown";

    private final String key;
    private final FileChannel channel;

    private DirectoryLock(final String key, final FileChannel channel)
    {
        this.key = key;
        this.channel = channel;
    }

    /**
     * Takes the lock.
     *
     * @throws JournalLockedException if another writer has it; it is named.
     */
    static DirectoryLock acquire(final Path directory) throws IOException
    {
        final Path path = directory.resolve(JournalFiles.LOCK);
        final Path ownerPath = directory.resolve(JournalFiles.OWNER);
        final FileAttribute<?>[] ownerOnly = OwnerOnly.file(directory.getFileSystem());
        final String key = KEY_PREFIX + identityOf(path, ownerOnly);
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
            if (null == channel.tryLock())
            {
                throw locked(directory, readOwner(ownerPath));
            }
            writeOwner(ownerPath, owner, ownerOnly);
            return new DirectoryLock(key, channel);
        }
        catch (final OverlappingFileLockException ex)
        {
            // Held by this process after all: somebody has replaced the system properties. The channel stays open,
            // since closing it would give the lock up.
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

    @Override
    public void close()
    {
        CloseHelper.quietClose(channel);
        System.getProperties().remove(key);
    }

    private static JournalLockedException locked(final Path directory, final String owner)
    {
        return new JournalLockedException(
            "journal is open for writing elsewhere: path=" + directory + ", owner=" + owner +
                "; close it there or choose another directory");
    }

    private static String identityOf(final Path path, final FileAttribute<?>... ownerOnly) throws IOException
    {
        try
        {
            Files.createFile(path, ownerOnly);
        }
        catch (final FileAlreadyExistsException ignore)
        {
            // As it should be: it is never deleted.
        }

        final BasicFileAttributes attributes =
            Files.readAttributes(path, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile())
        {
            throw new IOException("not a regular file: file=" + path);
        }

        final Object fileKey = attributes.fileKey();
        return null != fileKey ? fileKey.toString() : path.toRealPath().toString();
    }

    private static String describeOwner()
    {
        return "pid=" + ProcessHandle.current().pid() + ", since=" + Instant.now().truncatedTo(ChronoUnit.SECONDS);
    }

    // Streams on file descriptors: those of channels would be closed by an interrupt.
    private static void writeOwner(final Path path, final String owner, final FileAttribute<?>... ownerOnly)
    {
        try
        {
            Files.deleteIfExists(path);
            Files.createFile(path, ownerOnly);
            try (FileOutputStream output = new FileOutputStream(path.toFile()))
            {
                output.write((owner + "\n").getBytes(StandardCharsets.UTF_8));
            }
        }
        catch (final IOException ignore)
        {
            // Advisory: on a full disk a refused writer learns no name.
        }
    }

    private static String readOwner(final Path path)
    {
        try
        {
            // Before it is opened: opening a pipe would block.
            return FileType.REGULAR_FILE == FileType.of(path, LinkOption.NOFOLLOW_LINKS) ? read(path) : UNKNOWN_OWNER;
        }
        catch (final IOException ignore)
        {
            return UNKNOWN_OWNER;
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
