package io.journal.peers;

import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/**
 * The main command.
 */
@Command(
    name = "journal-peers",
    description = "Compares the journal with other journals, and measures how its figures grow.",
    subcommands = { Compare.class, Growth.class, Report.class },
    sortOptions = false)
public final class Peers
{
    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this help.")
    private boolean isHelpRequested;

    public static void main(final String[] args)
    {
        System.exit(new CommandLine(new Peers()).execute(args));
    }
}
