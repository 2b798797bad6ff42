// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A child process that prints its results. A child JVM gets none of this JVM's flags.
 */
public final class Child implements AutoCloseable
{
    static final int SIGKILLED = 137;
    // Exit codes of signals INT and TERM: 128 + number of the signal.
    private static final Set<Integer> SIGNALS = Set.of(130, 143);
    private static final int END_SECONDS = 10;
    private static final int TOOL_SECONDS = 600;
    // Environment variables that pass flags to a JVM.
    private static final Set<String> FLAGS = Set.of("JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS");
    // Only the first part of the output is kept for an error message.
    private static final int MAX_KEPT = 64 * 1024;

    private final Process process;
    private volatile boolean isLate;

    private Child(final Process process)
    {
        this.process = process;
    }

    /**
     * Starts a process without the flags of this JVM.
     *
     * @throws CancellationException if the JVM is shutting down.
     */
    public static Child start(final List<String> command) throws IOException
    {
        final Child started = new Child(builder(command).start());
        if (TempDirectory.isShutdown())
        {
            // The process may have started too late to be killed with the others.
            started.close();
            throw new CancellationException("stopped");
        }
        return started;
    }

    private static ProcessBuilder builder(final List<String> command)
    {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().keySet().removeAll(FLAGS);
        return builder;
    }

    /** Runs a process to its end, see {@link #await}, which fails if it takes longer than a limit. */
    static void run(
        final List<String> command, final int wantedCode, final long limitMs, final Consumer<String> printed)
        throws IOException, InterruptedException
    {
        try (Child child = start(command))
        {
            child.process.onExit().orTimeout(limitMs, TimeUnit.MILLISECONDS).exceptionally((timeout) ->
            {
                child.isLate = true;
                return child.process.destroyForcibly();
            });
            child.await(wantedCode, printed);
        }
    }

    /** Command that starts a main class in a JVM like this one; append its arguments. */
    public static List<String> javaCommand(final Class<?> main, final List<String> flags)
    {
        final List<String> command = new ArrayList<>(List.of(java()));
        command.addAll(flags);
        command.addAll(List.of("-cp", System.getProperty("java.class.path") + libraries(), main.getName()));
        return command;
    }

    private static String java()
    {
        return System.getProperty("java.home") + File.separator + "bin" + File.separator + "java";
    }

    /** The error message of a JVM like this one that does not accept flags; null if it does. */
    public static String refusal(final String flags) throws IOException, InterruptedException
    {
        final Process java = builder(List.of((java() + ' ' + flags + " -version").split(" +"))).start();
        final String output = new String(java.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return 0 == java.waitFor() ? null : output.lines().findFirst().orElse("no reason given");
    }

    /** The libraries of other journals, which lie beside the jar and are not contained in it. */
    private static String libraries()
    {
        final Path beside = Path.of(System.getProperty("java.class.path").split(File.pathSeparator)[0])
            .resolveSibling("lib");
        return Files.isDirectory(beside) ? File.pathSeparator + beside + File.separator + "*" : "";
    }

    /**
     * Called by a child: ends it when its parent ends for any reason, because that closes the pipe to its standard
     * input.
     */
    public static void endWithParent()
    {
        final Thread thread = new Thread(() ->
        {
            try
            {
                System.in.transferTo(OutputStream.nullOutputStream());
            }
            catch (final IOException ignore)
            {
                // A broken pipe also means that the parent has ended.
            }
            Runtime.getRuntime().halt(1);
        }, "end-with-parent");
        thread.setDaemon(true);
        thread.start();
    }

    /** Called by a child: prints one of its results. */
    public static void print(final String key, final Object value)
    {
        System.out.println(key + '=' + value);
    }

    /**
     * Waits for the process to end, and passes each line that it prints to a consumer.
     *
     * @throws CancellationException if a signal ended it, such as Ctrl-C, which reaches all processes of a terminal.
     * @throws IllegalStateException if it ended with another exit code, or was killed because it took too long.
     */
    public void await(final int wantedCode, final Consumer<String> printed) throws IOException, InterruptedException
    {
        final StringBuilder kept = new StringBuilder();
        try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8))
        {
            for (String line = lines.readLine(); null != line; line = lines.readLine())
            {
                printed.accept(line);
                if (kept.length() < MAX_KEPT)
                {
                    kept.append(line).append('\n');
                }
            }
        }

        final int exitCode = process.waitFor();
        if (isLate)
        {
            throw new IllegalStateException("a case did not end and was killed\n" + kept);
        }
        if (SIGNALS.contains(exitCode))
        {
            throw new CancellationException("ended by a signal");
        }
        if (wantedCode != exitCode)
        {
            throw new IllegalStateException("a case failed: exit code=" + exitCode + "\n" + kept);
        }
    }

    @Override
    public void close()
    {
        process.destroyForcibly().onExit().completeOnTimeout(process, END_SECONDS, TimeUnit.SECONDS).join();
    }

    /**
     * Compiles a C program that serves as a baseline, from a source that is a resource next to a class.
     *
     * @param directory for the source and the program.
     * @return the program, or null if there is no compiler, or none that can compile it.
     */
    public static Path compileC(final Class<?> neighbour, final String name, final Path directory)
        throws IOException, InterruptedException
    {
        final Path source = directory.resolve(name + ".c");
        final Path program = directory.resolve(name);
        try (InputStream text = neighbour.getResourceAsStream(name + ".c"))
        {
            Files.copy(text, source);
        }
        return succeeds("cc", "-O2", "-o", program.toString(), source.toString()) ? program : null;
    }

    /** Whether a tool exists and succeeds, within ten minutes. */
    public static boolean succeeds(final String... command) throws InterruptedException
    {
        try
        {
            final Process tool = new ProcessBuilder(command).redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD).start();
            final boolean isDone = tool.waitFor(TOOL_SECONDS, TimeUnit.SECONDS) && 0 == tool.exitValue();
            tool.destroyForcibly();
            return isDone;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }
}
