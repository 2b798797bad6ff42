package io.journal.bench;

import java.nio.file.Path;

import picocli.CommandLine.Option;

/**
 * Options that all measuring commands have.
 */
final class RunOptions
{
    @Option(names = "--dir", defaultValue = "target", description = "Where files are written: a directory is made " +
        "below it, and removed afterwards. Default: ${DEFAULT-VALUE}")
    Path directory;

    @Option(names = "--rounds", defaultValue = "5", description = "How often everything is measured, each time in " +
        "another order. Default: ${DEFAULT-VALUE}")
    int rounds;

    @Option(names = "--seed", defaultValue = "1", description = "Of these orders, and of what else is random. " +
        "Default: ${DEFAULT-VALUE}")
    long seed;

    @Option(names = "--output",
        description = "File for all that is measured: lines of JSON, or of CSV if it is named " +
            "so.")
    Path output;

    @Option(names = "--quiet", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "No " +
        "progress on the error stream.")
    boolean isQuiet;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this.")
    boolean isHelpWanted;
}
