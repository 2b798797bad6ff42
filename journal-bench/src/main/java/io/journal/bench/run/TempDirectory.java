// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * A temporary directory, which is deleted when it is closed. It is also deleted when the JVM is shut down before, for
 * example by Ctrl-C, which kills all child processes as well.
 */
public final class TempDirectory implements AutoCloseable
{
    private static final int END_SECONDS = 10;
    private static final int DELETIONS = 50;

    private final Thread hook = new Thread(this::abandon, "cleanup");
    private Path path;

    private TempDirectory()
    {
    }

    /**
     * Creates the directory.
     *
     * @param parent created if it does not exist.
     * @throws IllegalStateException if the JVM is shutting down.
     */
    public static TempDirectory below(final Path parent, final String prefix) throws IOException
    {
        final TempDirectory directory = new TempDirectory();
        directory.create(parent, prefix);
        return directory;
    }

    /** A shutdown waits for the creation, so that it finds the directory. */
    private synchronized void create(final Path parent, final String prefix) throws IOException
    {
        Runtime.getRuntime().addShutdownHook(hook);
        try
        {
            path = Files.createTempDirectory(Files.createDirectories(parent.toAbsolutePath().normalize()), prefix);
        }
        catch (final IOException ex)
        {
            remove(hook);
            throw ex;
        }
    }

    public Path path()
    {
        return path;
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
        delete(path);
    }

    private synchronized void abandon()
    {
        if (null == path)
        {
            return;
        }
        // Grandchildren as well: a survivor would write into the deleted directory.
        final List<ProcessHandle> processes = ProcessHandle.current().descendants().toList();
        processes.forEach(ProcessHandle::destroyForcibly);
        processes
            .forEach((process) -> process.onExit().completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS).join());
        // Another thread may still be creating a file, but starts nothing new.
        for (int i = 1; Files.exists(path) && i <= DELETIONS; i++)
        {
            try
            {
                delete(path);
            }
            catch (final UncheckedIOException ex)
            {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(i));
            }
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
