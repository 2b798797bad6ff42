package io.journal.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;

/**
 * Options that all measuring commands share.
 */
public final class RunOptions
{
    private static final int MAX_ROUNDS = 100_000;

    @Option(names = "--dir", defaultValue = "target", description = "Directory to measure in: files are written to a " +
        "temporary directory below it. Default: ${DEFAULT-VALUE}")
    public Path directory;

    @Option(names = "--rounds", description = "Number of rounds; each measures every case once, in random order. " +
        "Default: ${DEFAULT-VALUE}")
    public int rounds = 5;

    @Option(names = "--seed", defaultValue = "1", description = "Seed of the random order and of random input. " +
        "Default: ${DEFAULT-VALUE}")
    public long seed;

    @Option(names = "--output",
        description = "File for the raw results: JSON lines, or CSV if its name ends with .csv.")
    public Path output;

    @Option(names = "--report", paramLabel = "DIRECTORY", description = "Directory to add the raw results to, as " +
        "JSON lines and as CSV, and to write the report of all results in it to: report.html.")
    public Path report;

    @Option(names = "--json", description = "Print JSON lines, as in --output, instead of text.")
    public boolean isJson;

    @Option(names = "--scale", defaultValue = "1", description = "Fraction of the sizes or repetitions to run, for a " +
        "quick look: above 0, at most 1; recorded in the results. Default: ${DEFAULT-VALUE}")
    public double scale;

    @Option(names = "--plan", description = "Only print the plan and the estimated duration.")
    public boolean isPlanOnly;

    @Option(names = "--quiet", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "No " +
        "progress on standard error.")
    public boolean isQuiet;

    /** Rejects values that are invalid for every command. */
    void check(final CommandSpec spec)
    {
        final OptionChecks checks = new OptionChecks(spec)
            .within(1, MAX_ROUNDS, "--rounds", rounds)
            .that(scale > 0 && scale <= 1, "--scale must be above 0 and at most 1");
        if (!isPlanOnly)
        {
            checks.writable("--output", output)
                .that(null == report || !Files.exists(report) || Files.isDirectory(report) && Files.isWritable(report),
                    "--report cannot be written: " + report);
        }
    }

    public String scaleText()
    {
        return "scaled to " + scale + " of the full size, for a quick look only";
    }

    /** A number multiplied by --scale, at least 1. */
    public long scaled(final long whole)
    {
        return Math.max(1, Math.round(whole * scale));
    }
}
