package io.journal.bench;

import picocli.CommandLine;

/**
 * What the commands have in common.
 */
final class Commands
{
    private Commands()
    {
    }

    static CommandLine of(final Object command)
    {
        final CommandLine commandLine = new CommandLine(command).setCaseInsensitiveEnumValuesAllowed(true);
        commandLine.setParameterExceptionHandler((ex, args) ->
        {
            final CommandLine refusing = ex.getCommandLine();
            refusing.getErr().println(ex.getMessage() + "; --help names the options");
            return refusing.getCommandSpec().exitCodeOnInvalidInput();
        });

        return commandLine;
    }
}
