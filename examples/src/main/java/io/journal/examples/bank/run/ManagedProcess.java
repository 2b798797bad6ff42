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
 * A program of this class path in a process of its own, which is started again whenever it ends. Thread-safe.
 */
final class ManagedProcess implements AutoCloseable
{
    private static final int END_SECONDS = 20;

    private final List<String> program = new ArrayList<>();
    private final Supplier<List<String>> options;
    private final ProcessBuilder.Redirect errors;
    private final Consumer<String> lines;
    private final IntPredicate isStartedAgain;
    private final long pauseMs;
    private Process process;
    private boolean isClosed;

    /**
     * Starts a process.
     *
     * @param main           class of the program.
     * @param javaOptions    of the JVM.
     * @param options        of the program, asked at each start.
     * @param errors         where what it reports goes.
     * @param pauseMs        between its end and the next start.
     * @param lines          called with what it prints.
     * @param isStartedAgain called with its exit code when it has ended.
     */
    ManagedProcess(
        final Class<?> main,
        final List<String> javaOptions,
        final Supplier<List<String>> options,
        final ProcessBuilder.Redirect errors,
        final long pauseMs,
        final Consumer<String> lines,
        final IntPredicate isStartedAgain)
    {
        program.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        program.addAll(javaOptions);
        program.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        this.options = options;
        this.errors = errors;
        this.pauseMs = pauseMs;
        this.lines = lines;
        this.isStartedAgain = isStartedAgain;
        start();
    }

    /** Ends it as a crash does: on Linux with SIGKILL, which no process can catch. */
    synchronized void kill()
    {
        // By its handle, which leaves the pipe open: its last lines are still to be read.
        process.toHandle().destroyForcibly();
    }

    /** Ends it: the program closes what it has open. If that takes too long, it is killed. */
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
            process = new ProcessBuilder(command).redirectError(errors).start();
        }
        catch (final IOException ex)
        {
            throw new CannotStartException("A process cannot be started: " + ex.getMessage());
        }
        final Process started = process;
        final Thread thread = new Thread(() -> run(started), "bank-process");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(final Process started)
    {
        try (BufferedReader reader = started.inputReader(UTF_8))
        {
            reader.lines().forEach(lines);
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
