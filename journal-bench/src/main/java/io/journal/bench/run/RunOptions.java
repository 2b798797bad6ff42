package io.journal.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/**
 * Options that all measuring commands have.
 */
public final class RunOptions
{
    private static final int MOST_ROUNDS = 100_000;

    @Option(names = "--dir", defaultValue = "target", description = "Where files are written: a directory is made " +
        "below it, and removed afterwards. Default: ${DEFAULT-VALUE}")
    public Path directory;

    @Option(names = "--rounds", defaultValue = "5", description = "How often everything is measured, each time in " +
        "another order. Default: ${DEFAULT-VALUE}")
    public int rounds;

    @Option(names = "--seed", defaultValue = "1", description = "Of these orders, and of what else is random. " +
        "Default: ${DEFAULT-VALUE}")
    public long seed;

    @Option(names = "--output",
        description = "File for all that is measured: lines of JSON, or of CSV if it is named " +
            "so.")
    public Path output;

    @Option(names = "--report", paramLabel = "DIRECTORY", description = "Where all that is measured is kept, as " +
        "lines of JSON and as CSV, and where the report of all results that are there is written: report.html.")
    public Path report;

    @Option(names = "--json", description = "Lines of JSON on the standard output, as --output has them, instead of " +
        "text.")
    public boolean isJson;

    @Option(names = "--scale", defaultValue = "1", description = "Share of the sizes or repetitions to run, for a " +
        "first look: above 0, at most 1. The output says so. Default: ${DEFAULT-VALUE}")
    public double scale;

    @Option(names = "--plan", description = "Print what would be done and how long it takes, and end.")
    public boolean isPlanOnly;

    @Option(names = "--quiet", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "No " +
        "progress on the error stream.")
    public boolean isQuiet;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this.")
    public boolean isHelpWanted;

    /**
     * Refuses what no command can do.
     */
    public void check(final CommandSpec spec)
    {
        final Checks checks = new Checks(spec)
            .within(1, MOST_ROUNDS, "--rounds", rounds)
            .that(scale > 0 && scale <= 1, "--scale must be above 0 and at most 1");
        if (!isPlanOnly)
        {
            checks.writable("--output", output)
                .that(null == report || !Files.exists(report) || Files.isDirectory(report) && Files.isWritable(report),
                    "--report is no directory that can be written: " + report);
        }
    }

    /**
     * Says that it is not the whole, for who reads numbers.
     */
    public String scaleText()
    {
        return "scaled to " + scale + " of the whole: for a first look only";
    }

    /**
     * What --scale leaves of a number.
     */
    public long scaled(final long whole)
    {
        return Math.max(1, Math.round(whole * scale));
    }
}
