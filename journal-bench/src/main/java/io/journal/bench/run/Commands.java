package io.journal.bench.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CancellationException;

import picocli.CommandLine;

/**
 * What the commands have in common.
 */
public final class Commands
{
    /** Exit code of a command that was told to end, as shells have it. */
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
            refusing.getErr().println(ex.getMessage() + "; --help names the options");
            return refusing.getCommandSpec().exitCodeOnInvalidInput();
        });

        commandLine.setExecutionExceptionHandler((ex, failing, result) ->
        {
            if (ex instanceof CancellationException)
            {
                // Told to end, by Ctrl-C for example: nothing went wrong.
                return EXIT_INTERRUPTED;
            }
            if (ex instanceof Planned)
            {
                return CommandLine.ExitCode.OK;
            }
            if (ex instanceof IOException || ex instanceof UncheckedIOException || ex instanceof IllegalStateException)
            {
                // A disk that is full, a case that failed: what it said is what there is to know.
                failing.getErr().println("failed: " + (ex instanceof IOException ? ex : ex.getMessage()));
                failing.getErr().flush();
                return CommandLine.ExitCode.SOFTWARE;
            }
            throw ex;
        });

        return commandLine;
    }
}
