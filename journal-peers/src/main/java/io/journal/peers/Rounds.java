package io.journal.peers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;

import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Options of a command that measures, and its loop: each round runs every case once, in random order.
 */
final class Rounds
{
    @Option(
        names = "--dir", defaultValue = ".",
        description = "Directory on the disk to measure. Default: the current one.")
    private Path directory;

    @Option(names = "--rounds", defaultValue = "5", description = "Default: ${DEFAULT-VALUE}.")
    private int rounds;

    @Option(
        names = "--output", required = true,
        description = "File for the results: JSON lines with the values of every round.")
    private Path output;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec command;

    /** A case, and what a growth run varies with it. */
    record Step(String axis, Case measured)
    {
    }

    /**
     * Runs all cases.
     *
     * @return exit code: 1 if a case failed.
     */
    int run(final List<Step> steps) throws IOException, InterruptedException
    {
        final Path absolute = directory.toAbsolutePath();
        ResultFile.writeHeader(output, absolute, arguments());
        final CaseRunner runner = new CaseRunner(absolute);
        final List<Step> order = new ArrayList<>(steps);
        final Random random = new Random();
        int failures = 0;
        for (int round = 1; round <= rounds; round++)
        {
            Collections.shuffle(order, random);
            for (final Step step : order)
            {
                failures += run(runner, step, round);
            }
        }
        return 0 == failures ? 0 : 1;
    }

    private List<String> arguments()
    {
        final List<String> arguments = new ArrayList<>(List.of(command.name()));
        command.commandLine().getParseResult().matchedOptions().stream()
            .filter((option) -> !List.of("--dir", "--output").contains(option.longestName()))
            .forEach((option) -> arguments.add(
                option.longestName() + "=" + String.join(",", option.originalStringValues())));
        return arguments;
    }

    private int run(final CaseRunner runner, final Step step, final int round) throws IOException, InterruptedException
    {
        Result result;
        try
        {
            result = new Result(step.measured(), step.axis(), round, runner.run(step.measured()), "");
        }
        catch (final IllegalStateException ex)
        {
            result = new Result(step.measured(), step.axis(), round, Map.of(), ex.getMessage());
        }
        ResultFile.append(output, result);
        final String value = result.failure().isEmpty() ?
            Numbers.text(result.values().get(step.measured().workload().mainValue())) + " " +
                step.measured().workload().mainValue() :
            result.failure();
        System.out.printf(Locale.ROOT, "%d  %s: %s%n", round, step.measured().label(), value);
        return result.failure().isEmpty() ? 0 : 1;
    }
}
