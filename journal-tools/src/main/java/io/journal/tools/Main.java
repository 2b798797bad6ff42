// SPDX-License-Identifier: Apache-2.0
package io.journal.tools;

import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.OutputStream;
import java.io.OutputStreamWriter;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import io.journal.CorruptJournalException;
import io.journal.JournalException;
import io.journal.JournalLockedException;
import io.journal.JournalNotFoundException;
import io.journal.internal.format.UnsupportedFormatException;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.ParseResult;

/**
 * The {@code journal} command.
 */
@Command(
    name = "journal",
    description = "Inspects, verifies, repairs and copies journals.",
    mixinStandardHelpOptions = true,
    versionProvider = Main.Version.class,
    synopsisSubcommandLabel = "COMMAND",
    subcommands = {
        InfoCommand.class,
        DumpCommand.class,
        TailCommand.class,
        StatsCommand.class,
        StreamsCommand.class,
        VerifyCommand.class,
        RepairCommand.class,
        SalvageCommand.class,
        CursorsCommand.class,
        BackupCommand.class,
        SeedCommand.class,
        PruneCommand.class,
        CommandLine.HelpCommand.class },
    exitCodeListHeading = "%nExit codes:%n",
    exitCodeList = {
        " 0:success; of verify, repair and salvage: nothing is damaged or missing",
        " 1:damage, also of a snapshot or index file only",
        " 2:wrong command line, no such record or cursor, a target that exists, or a consumer or a snapshot still " +
            "needs the records",
        " 3:no journal, or a newer format",
        " 4:a writer has the journal open",
        " 5:an I/O error, a full disk, out of memory, or the output could not be written",
        "70:a bug in this program",
        "130:interrupted (Ctrl-C)" },
    footerHeading = "%nWhere to begin:%n",
    footer = {
        "  journal info orders     identity, size, and whether it was closed cleanly",
        "  journal verify orders   reads all of it, reports damage and what to do",
        "  journal help verify     describes one command",
        "",
        "JOURNAL is the journal's directory. Only repair --apply, cursors --delete,",
        "backup and prune open it for writing; all other commands change nothing and",
        "may run beside a writer." })
public final class Main
{
    private static final int PATIENCE_S = 10;

    private Main()
    {
    }

    /**
     * Runs the command and exits the process.
     */
    public static void main(final String[] args)
    {
        // Not System.out: it flushes every line, and its charset may not be UTF-8.
        final Output out = new Output(new FileOutputStream(FileDescriptor.out));
        final PrintWriter err = writer(new FileOutputStream(FileDescriptor.err));
        final CountDownLatch ended = new CountDownLatch(1);
        final Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> interrupt(main, ended)));
        final int exitCode = run(out, err, args);
        err.flush();
        ended.countDown();
        System.exit(exitCode);
    }

    /**
     * On shutdown, interrupts the command and waits until it has finished its line and cleaned up.
     */
    private static void interrupt(final Thread thread, final CountDownLatch ended)
    {
        thread.interrupt();
        try
        {
            ended.await(PATIENCE_S, TimeUnit.SECONDS);
        }
        catch (final InterruptedException ignore)
        {
            // The process ends now.
        }
    }

    /**
     * Runs the command. If its output could not be written, success becomes failure.
     */
    static int run(final Output out, final PrintWriter err, final String... args)
    {
        final int exitCode = run(writer(out), err, args);
        final IOException failure = out.failure();
        if (null == failure)
        {
            return exitCode;
        }

        err.println("journal: the output is incomplete; cause=" + failure);
        return ExitCode.OK == exitCode ? ExitCode.FAILED : exitCode;
    }

    static int run(final PrintWriter out, final PrintWriter err, final String... args)
    {
        final CommandLine commandLine = commandLine().setOut(out).setErr(err);
        if (0 == args.length)
        {
            commandLine.usage(err);
            return ExitCode.USAGE;
        }

        return execute(commandLine, args);
    }

    /**
     * Runs a command. Maps an {@link Error} to an exit code as well: otherwise the JVM would exit with 1, which means
     * damage.
     */
    static int execute(final CommandLine commandLine, final String... args)
    {
        try
        {
            final int exitCode = commandLine.execute(args);
            commandLine.getOut().flush();
            return exitCode;
        }
        catch (final OutOfMemoryError ex)
        {
            commandLine.getOut().flush();
            commandLine.getErr().println("journal: out of memory: give Java more, as with java -Xmx2g -jar " +
                "journal.jar; cause=" + ex.getMessage());
            return ExitCode.FAILED;
        }
        catch (final Error ex)
        {
            commandLine.getOut().flush();
            printDefect(commandLine.getErr(), ex);
            return ExitCode.DEFECT;
        }
    }

    static CommandLine commandLine()
    {
        final CommandLine commandLine = new CommandLine(new Main());
        final CommandLine.Model.UsageMessageSpec usage = commandLine.getCommandSpec().usageMessage();
        commandLine.getSubcommands().forEach((name, command) ->
        {
            if (!"help".equals(name))
            {
                command.getCommandSpec().usageMessage().parameterListHeading("%n")
                    .exitCodeListHeading(usage.exitCodeListHeading()).exitCodeList(usage.exitCodeList());
            }
        });
        return commandLine
            .setUsageHelpAutoWidth(true)
            .setParameterExceptionHandler(Main::reject)
            .setExecutionExceptionHandler(Main::fail);
    }

    private static PrintWriter writer(final OutputStream stream)
    {
        return new PrintWriter(new OutputStreamWriter(stream, StandardCharsets.UTF_8), false);
    }

    private static int reject(final CommandLine.ParameterException ex, final String[] args)
    {
        final CommandLine rejecting = ex.getCommandLine();
        rejecting.getErr().println("journal: " + ex.getMessage());
        CommandLine.UnmatchedArgumentException.printSuggestions(ex, rejecting.getErr());
        rejecting.getErr().println("journal: for its usage, run: " +
            rejecting.getCommandSpec().qualifiedName() + " --help");
        return ExitCode.USAGE;
    }

    private static int fail(final Exception ex, final CommandLine commandLine, final ParseResult result)
    {
        final PrintWriter err = commandLine.getErr();
        commandLine.getOut().flush();
        final int exitCode = exitCode(ex);
        if (ExitCode.DEFECT == exitCode)
        {
            printDefect(err, ex);
        }
        else
        {
            err.println("journal: " + (null == ex.getMessage() ? ex.toString() : ex.getMessage()));
        }

        return exitCode;
    }

    private static void printDefect(final PrintWriter err, final Throwable ex)
    {
        err.println("journal: a bug in this program, please report it: " + ex);
        ex.printStackTrace(err);
    }

    static int exitCode(final Exception ex)
    {
        if (ex instanceof final CommandException known)
        {
            return known.exitCode();
        }
        if (ex instanceof CorruptJournalException)
        {
            return ExitCode.DAMAGED;
        }
        if (ex instanceof UnsupportedFormatException || ex instanceof JournalNotFoundException)
        {
            return ExitCode.NO_JOURNAL;
        }
        if (ex instanceof JournalLockedException)
        {
            return ExitCode.LOCKED;
        }
        if (ex instanceof IllegalArgumentException)
        {
            // The library has rejected a sequence or a directory that was given on the command line.
            return ExitCode.USAGE;
        }

        return ex instanceof JournalException || isIoError(ex) ? ExitCode.FAILED : ExitCode.DEFECT;
    }

    private static boolean isIoError(final Exception ex)
    {
        return ex instanceof IOException || ex instanceof UncheckedIOException ||
            ex instanceof DirectoryIteratorException;
    }

    /** The version of the jar. */
    static final class Version implements CommandLine.IVersionProvider
    {
        @Override
        public String[] getVersion()
        {
            final String version = Main.class.getPackage().getImplementationVersion();
            return new String[]{ "journal " + (null == version ? "(not from its jar)" : version) };
        }
    }
}
