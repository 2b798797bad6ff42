// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.List;
import java.util.stream.Stream;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/**
 * Options that all measuring commands share.
 */
public final class RunOptions
{
    /** A quick look ends after this time, whatever is left to measure. */
    public static final int QUICK_SECONDS = 100;

    private static final int MAX_ROUNDS = 100_000;

    @Option(names = "--dir", defaultValue = "target", description = "Directory to measure in: files are written to a " +
        "temporary directory below it. Default: ${DEFAULT-VALUE}")
    public Path directory;

    @Option(names = "--rounds", description = "Number of rounds; each measures every case once, in random order. " +
        "Default: that of the experiment.")
    public Integer rounds;

    @Option(names = "--output", description = "File for the raw results: JSON lines.")
    public Path output;

    @Option(names = "--report", paramLabel = "DIRECTORY", description = "Directory to add the raw results to, and to " +
        "write the tables and the page of all results in it to.")
    public Path report;

    @Option(names = "--quick", arity = "0..1", fallbackValue = "true", defaultValue = "false",
        description = "A first " +
            "look within two minutes: small sizes, few cases.")
    public boolean isQuick;

    @Option(names = "--quiet", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "No " +
        "progress on standard error.")
    public boolean isQuiet;

    public void check(final CommandSpec spec)
    {
        require(spec, null == rounds || rounds >= 1 && rounds <= MAX_ROUNDS, "--rounds must be from 1 to 100,000");
        require(spec, isWritable(output), "--output cannot be written: " + output);
        require(spec, null == report || !Files.exists(report) || Files.isDirectory(report) && Files.isWritable(report),
            "--report cannot be written: " + report);
    }

    List<Path> files(final String name)
    {
        return Stream.of(output, null == report ? null : report.resolve(name + ".jsonl")).filter(Objects::nonNull)
            .toList();
    }

    /** @param wrong the error message. */
    public static void require(final CommandSpec spec, final boolean holds, final String wrong)
    {
        if (!holds)
        {
            throw new ParameterException(spec.commandLine(), wrong);
        }
    }

    /** Whether a file, or null, can be written; does not touch it. */
    public static boolean isWritable(final Path file)
    {
        if (null == file)
        {
            return true;
        }
        final Path parent = file.toAbsolutePath().getParent();
        return Files.exists(file) ? !Files.isDirectory(file) && Files.isWritable(file) :
            null != parent && Files.isDirectory(parent) && Files.isWritable(parent);
    }
}
