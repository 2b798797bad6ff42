// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * A program of this class path in a process of its own, which is restarted when it ends. Thread-safe.
 */
final class ManagedProcess implements AutoCloseable
{
    private static final int END_SECONDS = 20;

    private final List<String> program = new ArrayList<>();
    private final Supplier<List<String>> options;
    private final Output output;
    private final long pauseMs;
    private final IntPredicate isStartedAgain;
    private Process process;
    private boolean isClosed;

    /** Where the standard output and the errors of the process go. */
    record Output(Consumer<String> lines, ProcessBuilder.Redirect errors)
    {
        static final Output CONSOLE = new Output(System.out::println, ProcessBuilder.Redirect.INHERIT);
    }

    /**
     * Starts a process. The options are computed anew for each start. The exit code decides whether the process is
     * restarted, after a pause.
     */
    ManagedProcess(
        final Class<?> main,
        final List<String> javaOptions,
        final Supplier<List<String>> options,
        final Output output,
        final long pauseMs,
        final IntPredicate isStartedAgain)
    {
        program.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        program.addAll(javaOptions);
        program.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        this.options = options;
        this.output = output;
        this.pauseMs = pauseMs;
        this.isStartedAgain = isStartedAgain;
        start();
    }

    /** Kills the process: on Linux with SIGKILL, which no process can catch. */
    synchronized void kill()
    {
        // Kill through the handle, which leaves the pipe open, because the last lines still have to be read.
        process.toHandle().destroyForcibly();
    }

    /** Asks the process to end, and waits until it has closed its resources. Kills it if that takes too long. */
    @Override
    public void close()
    {
        final Process last;
        synchronized (this)
        {
            isClosed = true;
            last = process;
        }
        last.toHandle().destroy();
        try
        {
            if (!last.waitFor(END_SECONDS, TimeUnit.SECONDS))
            {
                last.destroyForcibly();
            }
        }
        catch (final InterruptedException ex)
        {
            last.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }

    private synchronized void start()
    {
        if (isClosed)
        {
            return;
        }
        final List<String> command = new ArrayList<>(program);
        command.addAll(options.get());
        try
        {
            process = new ProcessBuilder(command).redirectError(output.errors()).start();
        }
        catch (final IOException ex)
        {
            throw new CannotStartException("A process cannot be started: " + ex.getMessage());
        }
        final Process started = process;
        final Thread thread = new Thread(() -> follow(started), "bank-process");
        thread.setDaemon(true);
        thread.start();
    }

    private void follow(final Process started)
    {
        try (BufferedReader reader = started.inputReader(UTF_8))
        {
            reader.lines().forEach(output.lines());
            if (isStartedAgain.test(started.waitFor()))
            {
                CompletableFuture.delayedExecutor(pauseMs, TimeUnit.MILLISECONDS).execute(this::start);
            }
        }
        catch (final IOException | InterruptedException ex)
        {
            throw new IllegalStateException("cannot follow a process", ex);
        }
    }
}
