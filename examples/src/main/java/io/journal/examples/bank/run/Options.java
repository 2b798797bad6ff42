package io.journal.examples.bank.run;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * The options of all processes: the supervisor passes its own to those it starts, and adds some.
 */
@CommandLine.Command(name = "bank", description = "A bank on a journal, in your browser.", sortOptions = false)
final class Options
{
    @Option(names = "--dir", description = "Where its files are (default: ${DEFAULT-VALUE}).")
    private Path dir = Path.of("target/bank");

    @Option(names = "--port", description = "Of its page; 0 for any (default: ${DEFAULT-VALUE}).")
    private int port = 7070;

    @Option(names = "--cluster", arity = "1", description = "Whether three members keep the journal.")
    private boolean isCluster;

    @Option(names = "--snapshot-every", description = "Events; 0 to save snapshots on request only.")
    private long snapshotEvery;

    @Option(names = "--prune", arity = "1", description = "Whether to prune the history after each snapshot.")
    private boolean isPruning;

    @Option(names = "--members", hidden = true, description = "Addresses of the members.")
    private String members = "";

    @Option(names = "--member", hidden = true, description = "Number of this member.")
    private int member;

    @Option(names = { "--help", "-h" }, usageHelp = true, description = "Prints this.")
    private boolean isHelp;

    private List<String> arguments;

    private Options()
    {
    }

    static Options parse(final String... arguments)
    {
        final Options options = new Options();
        final CommandLine commandLine = new CommandLine(options).setOverwrittenOptionsAllowed(true);
        try
        {
            commandLine.parseArgs(arguments);
        }
        catch (final CommandLine.ParameterException ex)
        {
            throw new CannotStartException(ex.getMessage());
        }
        if (options.isHelp)
        {
            throw new CannotStartException(commandLine.getUsageMessage());
        }
        options.arguments = List.of(arguments);
        return options;
    }

    /** The arguments for a process that is started with these options and others. */
    List<String> with(final String... others)
    {
        return Stream.concat(arguments.stream(), Arrays.stream(others)).toList();
    }

    /** Directory of the bank. On a cluster it is another, so that neither finds the files of the other. */
    Path directory()
    {
        return isCluster ? dir.resolve("cluster") : dir;
    }

    int port()
    {
        return port;
    }

    boolean isCluster()
    {
        return isCluster;
    }

    long snapshotEvery()
    {
        return snapshotEvery;
    }

    boolean isPruning()
    {
        return isPruning;
    }

    String members()
    {
        return members;
    }

    int member()
    {
        return member;
    }
}
