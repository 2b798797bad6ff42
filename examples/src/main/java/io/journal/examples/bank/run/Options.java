// SPDX-License-Identifier: Apache-2.0
package io.journal.examples.bank.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import picocli.CommandLine;
import picocli.CommandLine.Option;

/**
 * The options of all processes. The supervisor passes its own options to the processes it starts, and adds some.
 */
@CommandLine.Command(name = "bank", description = "A bank on a journal, in your browser.", sortOptions = false)
interface Options
{
    @Option(names = "--dir", defaultValue = "target/bank", description = "Directory of the bank's files.")
    Path dir();

    @Option(names = "--port", defaultValue = "7070", description = "Port of the page; 0 for any.")
    int port();

    @Option(names = "--cluster", arity = "1", description = "Whether a cluster of three members keeps the journal.")
    boolean isCluster();

    @Option(names = "--snapshot-every", defaultValue = "0",
        description = "Save a snapshot and prune after this many events; 0: on request only.")
    long snapshotEvery();

    @Option(names = "--members", defaultValue = "", hidden = true, description = "Addresses of the members.")
    String members();

    @Option(names = "--member", defaultValue = "0", hidden = true, description = "Number of this member.")
    int member();

    /**
     * The directory of the bank. A bank on a cluster has its own directory, so that neither finds the files of the
     * other.
     */
    static Path directory(final Options options)
    {
        return options.isCluster() ? options.dir().resolve("cluster") : options.dir();
    }

    static Options parse(final String... arguments)
    {
        final CommandLine commandLine = new CommandLine(Options.class).setOverwrittenOptionsAllowed(true);
        try
        {
            commandLine.parseArgs(arguments);
            return commandLine.getCommand();
        }
        catch (final CommandLine.ParameterException ex)
        {
            throw new CannotStartException(ex.getMessage() + "\n" + commandLine.getUsageMessage());
        }
    }

    /** Returns the given arguments and the other ones in one list. */
    static List<String> with(final String[] arguments, final String... others)
    {
        final List<String> all = new ArrayList<>(List.of(arguments));
        all.addAll(List.of(others));
        return all;
    }
}
