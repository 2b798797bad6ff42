package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Path;

import io.journal.bench.run.RunOptions;
import picocli.CommandLine;
import picocli.CommandLine.IExecutionStrategy;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParseResult;

/**
 * Runs the command, and where {@code --report} names a directory writes the report of all results in it: measuring
 * commands know nothing of reports.
 */
public final class ReportAfterRun implements IExecutionStrategy
{
    private final IExecutionStrategy run = new CommandLine.RunLast();

    @Override
    public int execute(final ParseResult parsed)
    {
        final int exitCode = run.execute(parsed);
        ParseResult last = parsed;
        while (last.hasSubcommand())
        {
            last = last.subcommand();
        }

        final Path directory = reportOf(last.commandSpec());
        if (CommandLine.ExitCode.OK == exitCode && null != directory)
        {
            final CommandLine command = last.commandSpec().commandLine();
            try
            {
                // Not on the standard output: with --json that carries nothing but results.
                command.getErr().println("report: " + ReportWriter.write(directory, Report.warningsOf(command)));
                command.getErr().flush();
            }
            catch (final IOException | BadResultException ex)
            {
                // What was measured is kept: there is only no page of it.
                command.getErr().println("failed: no report: " + (ex instanceof IOException ? ex : ex.getMessage()));
                command.getErr().flush();
                return CommandLine.ExitCode.SOFTWARE;
            }
        }

        return exitCode;
    }

    private static Path reportOf(final CommandSpec command)
    {
        for (final CommandSpec mixin : command.mixins().values())
        {
            if (mixin.userObject() instanceof RunOptions options)
            {
                return options.report;
            }
        }

        return null;
    }
}
