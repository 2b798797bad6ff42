package io.journal.bench.run;

import java.util.concurrent.CancellationException;

import picocli.CommandLine;

/**
 * What the commands have in common.
 */
public final class Commands
{
    private static final int EXIT_INTERRUPTED = 130;

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
            throw ex;
        });

        return commandLine;
    }
}
