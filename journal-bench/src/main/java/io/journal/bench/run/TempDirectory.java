package io.journal.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A temporary directory. Closing deletes it, and the parent directories that were created for it.
 */
public record TempDirectory(Path path, List<Path> madeParents) implements AutoCloseable
{
    private static final Path MEMORY = Path.of("/dev/shm");
    private static final int DELETIONS = 50;

    public static TempDirectory below(final Path parent, final String prefix) throws IOException
    {
        final Path absolute = parent.toAbsolutePath().normalize();
        final List<Path> missing = Stream.iterate(
            absolute, (path) -> null != path && Files.notExists(path), Path::getParent).toList();
        try
        {
            Files.createDirectories(absolute);
            return new TempDirectory(Files.createTempDirectory(absolute, prefix), missing);
        }
        catch (final IOException ex)
        {
            deleteIfEmpty(missing);
            throw ex;
        }
    }

    /** In memory, where an fsync takes no time. Empty where there is no such file system, or no room in it. */
    static Optional<TempDirectory> inMemory(final String prefix)
    {
        try
        {
            return Files.isDirectory(MEMORY) ? Optional.of(below(MEMORY, prefix)) : Optional.empty();
        }
        catch (final IOException ignore)
        {
            return Optional.empty();
        }
    }

    @Override
    public void close()
    {
        delete(path);
        deleteIfEmpty(madeParents);
    }

    /** Retries: another thread may still be creating a file, but starts nothing new. */
    void closeWhileFilled()
    {
        for (int i = 1; Files.exists(path) && i <= DELETIONS; i++)
        {
            try
            {
                close();
            }
            catch (final UncheckedIOException ex)
            {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(i));
            }
        }
    }

    private static void deleteIfEmpty(final List<Path> parents)
    {
        for (final Path parent : parents)
        {
            try
            {
                Files.deleteIfExists(parent);
            }
            catch (final IOException ignore)
            {
                // Not empty: in use by another process.
                return;
            }
        }
    }

    /** Deletes a directory tree. Entries that vanish meanwhile are ignored. */
    public static void delete(final Path directory)
    {
        try
        {
            Files.walkFileTree(directory, new SimpleFileVisitor<>()
            {
                @Override
                public FileVisitResult visitFile(final Path file, final BasicFileAttributes attributes)
                    throws IOException
                {
                    Files.deleteIfExists(file);
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFileFailed(final Path file, final IOException failure) throws IOException
                {
                    return failure instanceof NoSuchFileException ? FileVisitResult.CONTINUE :
                        super.visitFileFailed(file, failure);
                }

                @Override
                public FileVisitResult postVisitDirectory(final Path entered, final IOException failure)
                    throws IOException
                {
                    Files.deleteIfExists(entered);
                    return FileVisitResult.CONTINUE;
                }
            });
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
