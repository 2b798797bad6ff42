package io.journal.bench.run;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
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

    private final Process process;
    private final Path errors;

    private Child(final Process process, final Path errors)
    {
        this.process = process;
        this.errors = errors;
    }

    /**
     * @param errors file for what it prints to its error stream.
     */
    public static Child start(final Class<?> main, final List<String> arguments, final Path errors) throws IOException
    {
        final List<String> command = new ArrayList<>(javaCommand(main));
        command.addAll(arguments);
        return start(command, errors);
    }

    /**
     * @param errors file for what it prints to its error stream.
     */
    public static Child start(final List<String> command, final Path errors) throws IOException
    {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().keySet().removeAll(FLAGS);
        return new Child(builder.start(), errors);
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

        final String complaints = Files.readString(errors);
        if (0 != exitCode)
        {
            throw new IllegalStateException("a case failed: exit code=" + exitCode + "\n" + complaints);
        }
        System.err.print(complaints);
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
