// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A temporary directory. Closing deletes it, and the parent directories that were created for it. So does a shutdown of
 * the JVM before that, by Ctrl-C for example, which kills all child processes as well.
 */
public final class TempDirectory implements AutoCloseable
{
    private static final int END_SECONDS = 10;
    private static final int DELETIONS = 50;

    /** The directory, then the parents that were created for it. */
    private final List<Path> made = new ArrayList<>();
    private final Thread hook = new Thread(this::abandon, "cleanup");

    private TempDirectory()
    {
    }

    /**
     * Creates the directory.
     *
     * @throws IllegalStateException if the JVM is shutting down.
     */
    public static TempDirectory below(final Path parent, final String prefix) throws IOException
    {
        final TempDirectory directory = new TempDirectory();
        directory.create(parent.toAbsolutePath().normalize(), prefix);
        return directory;
    }

    /** A shutdown waits for it, so that it finds all that was created. */
    private synchronized void create(final Path parent, final String prefix) throws IOException
    {
        Runtime.getRuntime().addShutdownHook(hook);
        final List<Path> parents = Stream.iterate(
            parent, (path) -> null != path && Files.notExists(path), Path::getParent).toList();
        try
        {
            Files.createDirectories(parent);
            made.add(Files.createTempDirectory(parent, prefix));
            made.addAll(parents);
        }
        catch (final IOException ex)
        {
            remove(hook);
            deleteIfEmpty(parents);
            throw ex;
        }
    }

    public Path path()
    {
        return made.get(0);
    }

    /** Whether the JVM is shutting down. Directories vanish then, and child processes end, so other code fails. */
    public static boolean isShutdown()
    {
        return !remove(new Thread());
    }

    /** Removes a hook, and returns whether that was possible: it is not once the JVM is shutting down. */
    private static boolean remove(final Thread hook)
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(hook);
            return true;
        }
        catch (final IllegalStateException ex)
        {
            return false;
        }
    }

    @Override
    public void close()
    {
        remove(hook);
        delete(path());
        deleteIfEmpty(made);
    }

    private synchronized void abandon()
    {
        if (made.isEmpty())
        {
            return;
        }
        // Grandchildren as well: a survivor would write into the deleted directory.
        final List<ProcessHandle> processes = ProcessHandle.current().descendants().toList();
        processes.forEach(ProcessHandle::destroyForcibly);
        processes
            .forEach((process) -> process.onExit().completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS).join());
        // Another thread may still be creating a file, but starts nothing new.
        for (int i = 1; Files.exists(path()) && i <= DELETIONS; i++)
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

    private static void deleteIfEmpty(final List<Path> directories)
    {
        try
        {
            for (final Path directory : directories)
            {
                Files.deleteIfExists(directory);
            }
        }
        catch (final IOException ignore)
        {
            // Not empty: in use by another process.
        }
    }

    /** Deletes a directory tree. Entries that vanish meanwhile are ignored. */
    public static void delete(final Path path)
    {
        try
        {
            if (Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
            {
                try (Stream<Path> entries = Files.list(path))
                {
                    entries.forEach(TempDirectory::delete);
                }
            }
            Files.deleteIfExists(path);
        }
        catch (final NoSuchFileException ignore)
        {
            // Deleted by another thread or process.
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
