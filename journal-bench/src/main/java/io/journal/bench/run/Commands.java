package io.journal.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CancellationException;

import picocli.CommandLine;

/**
 * Error handling that all commands share.
 */
public final class Commands
{
    /** Exit code of an interrupted command, as in shells. */
    public static final int EXIT_INTERRUPTED = 130;

    private Commands()
    {
    }

    public static CommandLine of(final Object command)
    {
        final CommandLine commandLine = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setParameterExceptionHandler((ex, args) ->
        {
            final CommandLine refusing = ex.getCommandLine();
            refusing.getErr().println(ex.getMessage() + "; see --help");
            return refusing.getCommandSpec().exitCodeOnInvalidInput();
        });

        commandLine.setExecutionExceptionHandler((ex, failing, result) ->
        {
            if (ex instanceof CancellationException)
            {
                // Interrupted, by Ctrl-C for example: not an error.
                return EXIT_INTERRUPTED;
            }
            if (ex instanceof BenchmarkRun.PlanOnlyException)
            {
                return CommandLine.ExitCode.OK;
            }
            if (ex instanceof IOException || ex instanceof UncheckedIOException || ex instanceof IllegalStateException)
            {
                // Disk full, a failed case: the message says it all, no stack trace needed.
                failing.getErr().println("failed: " + (ex instanceof IOException ? ex : ex.getMessage()));
                failing.getErr().flush();
                return CommandLine.ExitCode.SOFTWARE;
            }
            throw ex;
        });

        return commandLine;
    }
}
