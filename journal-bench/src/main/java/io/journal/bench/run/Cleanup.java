package io.journal.bench.run;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;

/**
 * A temporary directory that is deleted when this is closed, and also if the JVM is shut down before, by Ctrl-C for
 * example. All child processes are killed then.
 */
public final class Cleanup implements AutoCloseable
{
    private static final int END_SECONDS = 10;

    private final List<TempDirectory> directories = new CopyOnWriteArrayList<>();
    private final Thread hook = new Thread(this::abandon, "cleanup");

    private Cleanup(final TempDirectory first)
    {
        directories.add(first);
        Runtime.getRuntime().addShutdownHook(hook);
    }

    /**
     * Creates the directory.
     *
     * @throws IllegalStateException if the JVM is shutting down.
     */
    public static Cleanup below(final Path parent, final String prefix) throws IOException
    {
        final TempDirectory temp = TempDirectory.below(parent, prefix);
        try
        {
            return new Cleanup(temp);
        }
        catch (final IllegalStateException ex)
        {
            temp.close();
            throw ex;
        }
    }

    public Path path()
    {
        return directories.get(0).path();
    }

    /** Adds a directory that is deleted as well. */
    void add(final TempDirectory other)
    {
        directories.add(other);
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
        directories.forEach(TempDirectory::close);
    }

    private void abandon()
    {
        // Grandchildren as well: a survivor would write into the deleted directory.
        final List<ProcessHandle> processes = ProcessHandle.current().descendants().toList();
        processes.forEach(ProcessHandle::destroyForcibly);
        processes.forEach((process) -> process.onExit().orTimeout(END_SECONDS, TimeUnit.SECONDS).handle(
            (ended, failure) -> ended).join());
        directories.forEach(TempDirectory::closeWhileFilled);
    }
}
