// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

import io.journal.internal.platform.CleanUp;
import io.journal.internal.platform.Descriptors;
import io.journal.internal.platform.FileType;
import io.journal.internal.platform.FullDisk;
import io.journal.internal.platform.Permissions;
import org.agrona.CloseHelper;

/**
 * A store backed by a directory of the file system.
 */
final class DirectoryStore implements SegmentStore
{
    /**
     * Length of each write of zeros. Larger writes create larger folios in the page cache, which make later write
     * faults and forces of single records more expensive; see {@code docs/adr/0002-preparing-segments.md}.
     */
    private static final int FILL_LENGTH = 16 * 1024;

    interface FileOpener
    {
        SegmentFile open(Path path, Access access) throws IOException;

        default void checkFileSystem(final Path directory) throws IOException
        {
        }
    }

    private final Path directory;
    private final FileOpener opener;
    private final Memory memory;

    DirectoryStore(final Path directory, final FileOpener opener, final Memory memory)
    {
        this.directory = directory;
        this.opener = opener;
        this.memory = memory;
    }

    @Override
    public Memory memory()
    {
        return memory;
    }

    @Override
    public void checkFileSystem() throws IOException
    {
        opener.checkFileSystem(directory);
    }

    @Override
    public void makeDirectory() throws IOException
    {
        final Path path = directory.toAbsolutePath();
        final Path parent = path.getParent();
        if (null == parent)
        {
            return;
        }

        boolean isNew = false;
        if (FileType.DIRECTORY != FileType.of(path))
        {
            // The application may have created the parent just before.
            forceName(parent);
            isNew = createDirectory(path);
        }
        try
        {
            // Fsynced even if the directory existed: the process that created it may have been killed before this
            // fsync.
            forceName(path);
        }
        catch (final Throwable ex)
        {
            if (isNew)
            {
                // The next fsync may succeed although a power loss still takes the name, and the files that are there
                // by then.
                CleanUp.after(ex, () -> Files.deleteIfExists(path));
            }
            throw ex;
        }
    }

    private static void forceName(final Path path) throws IOException
    {
        final Path parent = path.getParent();
        if (null != parent)
        {
            ForceChannel.forceDirectory(parent);
        }
    }

    @Override
    public List<String> list() throws IOException
    {
        final List<String> names = new ArrayList<>();
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory))
        {
            entries.forEach((entry) -> names.add(String.valueOf(entry.getFileName())));
        }
        catch (final NoSuchFileException ignore)
        {
            // Only this exception confirms absence. An empty list after any other exception would make a journal look
            // new.
            return List.of();
        }
        catch (final DirectoryIteratorException ex)
        {
            throw ex.getCause();
        }
        catch (final IOException | RuntimeException ex)
        {
            throw ex;
        }
        catch (final Exception ignore)
        {
            // JDK 17 throws an undeclared checked exception when closing the directory fails. Each call of its
            // getMessage() describes the thread's last error then, not its own, so neither it nor its words are kept.
            throw new IOException("cannot list the directory: closing it failed: path=" + directory);
        }

        return names;
    }

    @Override
    public SegmentFile create(final String name, final long length) throws IOException
    {
        return create(name, length, 0);
    }

    @Override
    public SegmentFile createUnallocated(final String name, final long length) throws IOException
    {
        return create(name, length, Math.max(0, length - 1));
    }

    /** Creates a file with zeros from an offset on, and a hole before them. */
    private SegmentFile create(final String name, final long length, final long from) throws IOException
    {
        final Path path = directory.resolve(name);
        Descriptors.prepareChannels();
        try
        {
            Files.createFile(path, Permissions.ofFile(path.getFileSystem()));
        }
        catch (final IOException ex)
        {
            // Creating the file needs no space for its length yet.
            throw translate(ex, directory, 1);
        }

        SegmentFile file = null;
        try
        {
            file = opener.open(path, Access.WRITE);
            fill(file, from, length);
            return file;
        }
        catch (final Throwable ex)
        {
            CloseHelper.quietClose(file);
            CleanUp.after(ex, () -> Files.deleteIfExists(path));
            throw ex;
        }
    }

    @Override
    public SegmentFile open(final String name, final Access access) throws IOException
    {
        return opener.open(directory.resolve(name), access);
    }

    @Override
    public void rename(final String from, final String to) throws IOException
    {
        // ATOMIC_MOVE silently replaces the target. The journal's lock prevents another process from creating the name
        // between this check and the move.
        final Path target = directory.resolve(to);
        if (FileType.ABSENT != FileType.of(target, LinkOption.NOFOLLOW_LINKS))
        {
            throw new FileAlreadyExistsException(target.toString());
        }
        try
        {
            Files.move(directory.resolve(from), target, StandardCopyOption.ATOMIC_MOVE);
        }
        catch (final IOException ex)
        {
            // The directory may have to grow.
            throw translate(ex, directory, 0);
        }
    }

    @Override
    public void delete(final String name) throws IOException
    {
        Files.deleteIfExists(directory.resolve(name));
    }

    @Override
    public void force() throws IOException
    {
        ForceChannel.forceDirectory(directory);
    }

    @Override
    public SegmentStore child(final String name) throws IOException
    {
        final DirectoryStore child = new DirectoryStore(directory.resolve(name), opener, memory);
        if (FileType.DIRECTORY != FileType.of(child.directory))
        {
            createDirectory(child.directory);
        }
        return child;
    }

    /** Returns whether this call created it, and not another process. */
    private static boolean createDirectory(final Path path) throws IOException
    {
        try
        {
            Files.createDirectory(path, Permissions.ofDirectory(path.getFileSystem()));
            return true;
        }
        catch (final FileAlreadyExistsException ex)
        {
            if (FileType.DIRECTORY != FileType.of(path))
            {
                throw ex;
            }
            return false;
        }
        catch (final IOException ex)
        {
            throw translate(ex, path, 0);
        }
    }

    /** Returns a {@link NoSpaceException} if an error means that the disk is full, else the error itself. */
    static IOException translate(final IOException error, final Path path, final long missing)
    {
        return error instanceof NoSpaceException || !FullDisk.isReason(error, path, missing) ? error :
            new NoSpaceException("no space left: file=" + path + ", missing=" + missing, error);
    }

    private static void fill(final SegmentFile file, final long from, final long length) throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocate(FILL_LENGTH);
        for (long offset = from; offset < length; offset += FILL_LENGTH)
        {
            file.write(offset, zeros.clear().limit((int)Math.min(FILL_LENGTH, length - offset)));
        }
    }
}
