// SPDX-License-Identifier: Apache-2.0
package io.journal.bench;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CancellationException;

import io.journal.bench.article.Articles;
import io.journal.bench.jmh.JmhRatios;
import io.journal.bench.recommend.Recommend;
import io.journal.bench.report.Report;
import io.journal.bench.run.TempDirectory;
import io.journal.bench.workload.Journals;
import io.journal.bench.workload.Peers;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ScopeType;

/**
 * The main command.
 */
@Command(
    name = "journal-bench",
    description = "Benchmarks the journal, others, and the file APIs below it on this machine and disk.",
    subcommands = { Recommend.class, Articles.class, Journals.class, Peers.class, JmhRatios.class, Report.class },
    sortOptions = false)
public final class Bench
{
    /** Exit code of an interrupted command, as in shells. */
    static final int EXIT_INTERRUPTED = 130;

    @Option(names = { "-h", "--help" }, usageHelp = true, scope = ScopeType.INHERIT,
        description = "Print this help.")
    private boolean isHelpRequested;

    public static void main(final String[] args)
    {
        System.exit(commandLine().execute(args));
    }

    public static CommandLine commandLine()
    {
        return commandLine(new Bench());
    }

    /** A command with the error handling that all share. */
    public static CommandLine commandLine(final Object command)
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
            if (ex instanceof CancellationException || TempDirectory.isShutdown())
            {
                // An interruption, for example by Ctrl-C, is no error, and neither are failures because files are
                // already deleted.
                return EXIT_INTERRUPTED;
            }
            if (ex instanceof IOException || ex instanceof UncheckedIOException || ex instanceof IllegalStateException)
            {
                // For a full disk or a failed case, the message is enough, without a stack trace.
                failing.getErr().println("failed: " + (ex instanceof IOException ? ex : ex.getMessage()));
                return CommandLine.ExitCode.SOFTWARE;
            }
            throw ex;
        });

        return commandLine;
    }
}
