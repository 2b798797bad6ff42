// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Set;

import io.journal.internal.platform.Descriptors;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.Permissions;
import io.journal.store.SegmentStore.UnsupportedFileSystemException;
import org.jspecify.annotations.Nullable;

/**
 * Opens the files of one store: for direct I/O if records are appended to them, otherwise for the page cache.
 */
final class DirectFiles implements DirectoryStore.FileOpener
{
    private static final int MAX_BLOCK_LENGTH = 64 * 1024;
    // Prefix of names that the next opening of a journal deletes, if this process is killed before it does.
    private static final String PROBE_PREFIX = "spare-direct-io-";
    private static final Set<OpenOption> BUFFERED = Set.of(StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
    // Empty if the Java runtime has no option for it.
    static final Set<OpenOption> OPTIONS = directOptions();

    // Allocated on first use, because most users of a store append nothing.
    private @Nullable BlockWindow window;

    @Override
    public SegmentFile open(final Path path, final SegmentStore.Access access) throws IOException
    {
        return SegmentStore.Access.APPEND == access ? new DirectFile(path, this) :
            new ChannelFile(path, access);
    }

    synchronized BlockWindow window(final Path path) throws IOException
    {
        if (null == window)
        {
            window = new BlockWindow((int)Files.getFileStore(path).getBlockSize());
        }

        return window;
    }

    /**
     * Tries direct I/O on a new file, which is deleted at once, in a directory or, if it is absent, in its nearest
     * existing parent.
     */
    @Override
    public void checkFileSystem(final Path directory) throws IOException
    {
        Path place = directory.toAbsolutePath();
        for (Path parent = place.getParent(); FileType.DIRECTORY != FileType.of(place) && null != parent;
            parent = place.getParent())
        {
            place = parent;
        }

        final FileStore fileStore = Files.getFileStore(place);
        final String reason = reasonAgainst(place, fileStore);
        if (null != reason)
        {
            throw new UnsupportedFileSystemException(
                "direct I/O is not possible here, use another backend: path=" + directory + ", fileSystem=" +
                    fileStore.type() + ", reason=" + reason);
        }
    }

    private static @Nullable String reasonAgainst(final Path place, final FileStore fileStore) throws IOException
    {
        if (!"Linux".equals(System.getProperty("os.name")))
        {
            // Elsewhere reads through the page cache need not see direct writes.
            return "only on Linux";
        }
        if (OPTIONS.isEmpty())
        {
            return "not offered by this Java runtime";
        }

        Descriptors.prepareChannels();
        final Path probe;
        try
        {
            final long blockLength = fileStore.getBlockSize();
            if (blockLength <= 0 || blockLength > MAX_BLOCK_LENGTH || 0 != (blockLength & blockLength - 1))
            {
                return "blocks of " + blockLength + " bytes";
            }
            probe = Files.createFile(
                place.resolve(PROBE_PREFIX + ProcessHandle.current().pid() + "-" + System.nanoTime()),
                Permissions.ofFile(place.getFileSystem()));
        }
        catch (final UnsupportedOperationException ex)
        {
            return "blocks of unknown length";
        }
        catch (final IOException ignore)
        {
            // A full or read-only disk says nothing about direct I/O; the operation that needs a file reports it.
            return null;
        }

        try
        {
            new ReopenedChannel(probe, OPTIONS).close();
            return null;
        }
        catch (final NoSuchFileException ignore)
        {
            // Another process has just opened the journal, and deleted the probe.
            return null;
        }
        catch (final FileSystemException | UnsupportedOperationException ex)
        {
            // Throws if there is another reason, such as file-descriptor exhaustion.
            new ReopenedChannel(probe, BUFFERED).close();
            return ex.toString();
        }
        finally
        {
            deleteQuietly(probe);
        }
    }

    private static void deleteQuietly(final Path probe)
    {
        try
        {
            Files.deleteIfExists(probe);
        }
        catch (final IOException ignore)
        {
            // The result of the probe matters more.
        }
    }

    /** The JDK's option is found by its name, since newer compilers warn of its type. Its package is exported. */
    private static Set<OpenOption> directOptions()
    {
        try
        {
            final Object direct =
                Class.forName("com.sun.nio.file.ExtendedOpenOption").getField("DIRECT").get(null);
            return Set.of(StandardOpenOption.WRITE, (OpenOption)direct, LinkOption.NOFOLLOW_LINKS);
        }
        catch (final ReflectiveOperationException ignore)
        {
            return Set.of();
        }
    }
}
