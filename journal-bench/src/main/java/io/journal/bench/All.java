package io.journal.bench;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;

import com.fasterxml.jackson.core.type.TypeReference;
import io.journal.bench.recommend.Recommend;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.RawFile;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Runs every experiment.
 */
@Command(
    name = "all",
    description = "Runs every experiment in turn and continues when one fails; writes a result file for each, and " +
        "one report.",
    footer = {
        "%nAnswers: everything, overnight.",
        "Example: all --dir=/on/the/disk --results=results --scale=0.1",
        "Takes: hours; --plan prints the estimate." },
    sortOptions = false)
final class All implements Callable<Integer>
{
    private static final String RECOMMEND = "recommend";

    @Spec
    private CommandSpec spec;

    @Option(names = "--dir", defaultValue = "target", description = "Directory to measure in: files are written to a " +
        "temporary directory below it. Default: ${DEFAULT-VALUE}")
    private Path directory;

    @Option(names = "--results", defaultValue = "target/results", description = "Directory for the result files, " +
        "which are overwritten. Default: ${DEFAULT-VALUE}")
    private Path results;

    @Option(names = "--rounds", description = "Rounds of each experiment instead of its default; " +
        RECOMMEND + " no fewer than it needs.")
    private Integer rounds;

    @Option(names = "--scale", defaultValue = "1", description = "Fraction of the sizes or repetitions to run: above " +
        "0, at most 1. Default: ${DEFAULT-VALUE}")
    private double scale;

    @Option(names = "--only", split = ",",
        description = "Experiments to run, by the names of their result files. Default: all.")
    private List<String> only = List.of();

    @Option(names = "--plan", description = "Only print the plan and the estimated duration.")
    private boolean isPlanOnly;

    @Option(names = "--json",
        description = "Print JSON lines, as in the files, instead of text.")
    private boolean isJson;

    @Option(names = "--quiet", description = "No progress on standard error.")
    private boolean isQuiet;

    /** Arguments by the names of the result files. Claims need three rounds or more. */
    static Map<String, List<String>> experiments() throws IOException
    {
        try (InputStream in = All.class.getResourceAsStream("experiments.json"))
        {
            return RawFile.JSON.readValue(in, new TypeReference<LinkedHashMap<String, List<String>>>()
            {
            });
        }
    }

    @Override
    public Integer call() throws IOException
    {
        final OptionChecks checks = new OptionChecks(spec)
            .atLeast(1, "--rounds", null == rounds ? 1 : rounds)
            .that(scale > 0 && scale <= 1, "--scale must be above 0 and at most 1");
        final Map<String, List<String>> experiments = experiments();
        only.forEach((name) -> checks.that(
            experiments.containsKey(name), "--only: no such experiment: " + name + "; known: " +
                String.join(", ", experiments.keySet())));
        if (!only.isEmpty())
        {
            experiments.keySet().retainAll(only);
        }
        plan(experiments);
        if (isPlanOnly)
        {
            return CommandLine.ExitCode.OK;
        }

        try
        {
            Files.createDirectories(results);
        }
        catch (final IOException ex)
        {
            throw new ParameterException(spec.commandLine(), "--results cannot be written: " + ex);
        }
        final List<String> failed = new ArrayList<>();
        for (final Map.Entry<String, List<String>> experiment : experiments.entrySet())
        {
            text("%n== %s: %s%n", experiment.getKey(), String.join(" ", experiment.getValue()));
            final int exitCode = execute(bench(), arguments(experiment));
            if (Bench.EXIT_INTERRUPTED == exitCode)
            {
                return exitCode;
            }
            if (CommandLine.ExitCode.OK != exitCode)
            {
                failed.add(experiment.getKey());
            }
        }

        text("%n%d of %d experiments done, results in %s%n", experiments.size() - failed.size(), experiments.size(),
            results);
        // Not on standard output, which carries only results with --json.
        final PrintWriter err = spec.commandLine().getErr();
        if (CommandLine.ExitCode.OK != execute(bench().setOut(err), List.of("report", results.toString())))
        {
            failed.add("report");
        }
        if (!failed.isEmpty())
        {
            err.println("failed: " + String.join(", ", failed));
            return CommandLine.ExitCode.SOFTWARE;
        }
        return CommandLine.ExitCode.OK;
    }

    /** Prints the estimated duration of each. */
    private void plan(final Map<String, List<String>> experiments)
    {
        final double[] seconds = new double[1];
        for (final Map.Entry<String, List<String>> experiment : experiments.entrySet())
        {
            final CommandLine bench = bench().setOut(new PrintWriter(Writer.nullWriter()));
            bench.setExecutionExceptionHandler((ex, failing, result) ->
            {
                if (ex instanceof BenchmarkRun.PlanOnlyException planned)
                {
                    seconds[0] += planned.seconds();
                    text("%-28s about %s%n", experiment.getKey(), BenchmarkRun.duration(planned.seconds()));
                    return CommandLine.ExitCode.OK;
                }
                throw ex;
            });
            final List<String> arguments = arguments(experiment);
            arguments.add("--plan");
            if (CommandLine.ExitCode.OK != execute(bench, arguments))
            {
                text("%-28s cannot run here%n", experiment.getKey());
            }
        }
        text("%-28s about %s%n", "all", BenchmarkRun.duration(seconds[0]));
    }

    private CommandLine bench()
    {
        return Bench.commandLine().setOut(spec.commandLine().getOut()).setErr(spec.commandLine().getErr());
    }

    private static int execute(final CommandLine bench, final List<String> arguments)
    {
        return bench.execute(arguments.toArray(String[]::new));
    }

    private List<String> arguments(final Map.Entry<String, List<String>> experiment)
    {
        final List<String> arguments = new ArrayList<>(experiment.getValue());
        arguments.add("--dir=" + directory);
        arguments.add("--output=" + results.resolve(experiment.getKey() + ".jsonl"));
        arguments.add("--scale=" + scale);
        if (null != rounds)
        {
            final boolean isRecommend = RECOMMEND.equals(arguments.get(0));
            arguments.removeIf((argument) -> argument.startsWith("--rounds="));
            arguments.add("--rounds=" + (isRecommend ? Math.max(Recommend.MIN_ROUNDS, rounds) : rounds));
        }
        if (isJson)
        {
            arguments.add("--json");
        }
        if (isQuiet)
        {
            arguments.add("--quiet");
        }

        return arguments;
    }

    /** Prints text, unless JSON lines are printed. */
    private void text(final String format, final Object... arguments)
    {
        if (!isJson)
        {
            spec.commandLine().getOut().printf(Locale.ROOT, format, arguments);
            spec.commandLine().getOut().flush();
        }
    }
}
