package io.journal.bench.run;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A JVM of its own, without a flag, that prints what it has found as lines of {@code key=value}.
 */
public final class Child implements AutoCloseable
{
    private static final int END_SECONDS = 10;
    // As exit codes: 128 + number of the signal.
    private static final int SIGNAL_INT = 130;
    private static final int SIGNAL_TERM = 143;

    // Through which flags would come in.
    private static final Set<String> FLAGS = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");

    // Of what is said in error, the beginning is enough.
    private static final int MOST_COMPLAINTS = 64 * 1024;

    private final Process process;
    private final StringBuilder complaints = new StringBuilder();
    private final Thread listener;

    private Child(final Process process)
    {
        this.process = process;
        // Not to a file: it is wanted most when the disk is full.
        listener = new Thread(this::listen, "complaints");
        listener.setDaemon(true);
        listener.start();
    }

    /**
     * Starts a process without the flags of this JVM.
     */
    public static Child start(final List<String> command) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder(command);
        builder.environment().keySet().removeAll(FLAGS);
        return new Child(builder.start());
    }

    /**
     * What starts a JVM like this one with a class of ours; its arguments follow.
     */
    public static List<String> javaCommand(final Class<?> main)
    {
        return List.of(
            System.getProperty("java.home") + File.separator + "bin" + File.separator + "java",
            "-cp",
            System.getProperty("java.class.path"),
            main.getName());
    }

    /**
     * For a child to call: ends it when its parent has ended, however that happened, since a pipe from it is closed
     * then.
     */
    public static void endWithParent()
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                while (System.in.read() >= 0)
                {
                    Thread.onSpinWait();
                }
            }
            catch (final IOException ignore)
            {
                // The pipe is gone as well.
            }
            Runtime.getRuntime().halt(1);
        }, "end-with-parent");
        thread.setDaemon(true);
        thread.start();
    }

    /**
     * Waits for its end.
     *
     * @return what it found.
     * @throws CancellationException if a signal ended it, such as that of Ctrl-C, which is for all of a terminal.
     * @throws IllegalStateException if it failed.
     */
    public Map<String, String> await() throws IOException, InterruptedException
    {
        final Map<String, String> found = new TreeMap<>();
        await((line) ->
        {
            final int equals = line.indexOf('=');
            if (equals > 0)
            {
                found.put(line.substring(0, equals), line.substring(equals + 1));
            }
        });

        return found;
    }

    /**
     * Waits for its end, and hands out what it prints, line by line.
     *
     * @throws CancellationException as above.
     * @throws IllegalStateException as above.
     */
    public void await(final Consumer<String> printed) throws IOException, InterruptedException
    {
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8))
        {
            for (String line = lines.readLine(); null != line; line = lines.readLine())
            {
                printed.accept(line);
            }
        }

        final int exitCode = process.waitFor();
        if (SIGNAL_INT == exitCode || SIGNAL_TERM == exitCode)
        {
            throw new CancellationException("ended by a signal");
        }

        listener.join();
        if (0 != exitCode)
        {
            throw new IllegalStateException("a case failed: exit code=" + exitCode + "\n" + complaints);
        }
        System.err.print(complaints);
    }

    private void listen()
    {
        try (BufferedReader lines = process.errorReader(StandardCharsets.UTF_8))
        {
            for (String line = lines.readLine(); null != line; line = lines.readLine())
            {
                if (complaints.length() < MOST_COMPLAINTS)
                {
                    complaints.append(line).append(System.lineSeparator());
                }
            }
        }
        catch (final IOException ex)
        {
            complaints.append(ex);
        }
    }

    /**
     * Ends the process if it is still there.
     */
    @Override
    public void close()
    {
        process.destroyForcibly();
        try
        {
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ignore)
        {
            Thread.currentThread().interrupt();
        }
    }
}
