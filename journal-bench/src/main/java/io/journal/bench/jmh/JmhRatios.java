package io.journal.bench.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.journal.bench.journal.BackendConfig;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Progress;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Rates;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Runs the JMH benchmarks and prints how many times its baseline each takes. From a clean clone:
 * <pre>
 * mvn -q -Pjmh package
 * </pre>
 * A round runs the baseline and everything that is compared with it in turn, in random order, each in a JVM of its
 * own, and a ratio is taken within the round: what slows down the machine for a while slows down both.
 */
@Command(
    name = "jmh",
    aliases = "ratios",
    description = "JMH: append, sustained append and replay, each as a ratio to a copy of the same bytes with a " +
        "checksum, the minimum for any journal.",
    footer = {
        "%nAnswers: what is the CPU cost of the journal per record, without a disk?",
        "Example: jmh --only='append 64 B' --rounds=3",
        "Takes: about 12 minutes, with --quick --rounds=1 half a minute." },
    sortOptions = false)
public final class JmhRatios implements Callable<Integer>
{
    private static final int FRAME_HEADER_LENGTH = 24;
    private static final int WARMUP_ITERATIONS = 3;
    private static final int ITERATIONS = 20;
    private static final int QUICK_ITERATIONS = 10;
    // All iterations of a fork must fit into a segment of 256 MiB.
    private static final int ITERATION_LENGTH = 8 * 1024 * 1024;
    private static final int SUSTAINED_LENGTH = 192 * 1024 * 1024;
    private static final int[] LENGTHS = { 64, 256, 1024, 4096 };
    private static final int[] QUICK_LENGTHS = { 256 };
    private static final double SECONDS_PER_RUN = 3;
    private static final long NEEDED_BYTES = 2L * 1024 * 1024 * 1024;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--quick", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "Only " +
        "records of 256 bytes, and fewer iterations.")
    private boolean isQuick;

    @Option(names = "--only", defaultValue = ".", description = "Only benchmarks that match this regular expression, " +
        "such as 'append 64 B', replay, sustained.")
    private Pattern only;

    @Option(names = "--jmh-output", description = "File for JMH's own results, as JSON. Default: none.")
    private Path jmhOutput;

    private final Map<BenchmarkCase, double[]> times = new HashMap<>();
    private final List<RunResult> raw = new ArrayList<>();

    /**
     * A JMH benchmark with parameters. Each group runs its own baseline, even if it equals another group's.
     */
    private record BenchmarkCase(String group, Class<?> type, String method, BackendConfig measured, int recordLength,
        int records)
    {
        String label()
        {
            return null == measured ? "baseline" : measured.label();
        }

        Map<String, String> parameters()
        {
            final Map<String, String> parameters = new LinkedHashMap<>();
            parameters.put("what", group.substring(0, group.indexOf(' ')));
            parameters.put("recordLength", Integer.toString(recordLength));
            parameters.put("backend", null == measured ? "baseline" : measured.backend().name());
            parameters.put("windowLength", Integer.toString(null == measured ? 0 : measured.writeWindow()));
            return parameters;
        }
    }

    /**
     * Benchmarks that are compared with one baseline.
     */
    private record Group(String name, BenchmarkCase baseline, List<BenchmarkCase> benchmarks)
    {
        List<BenchmarkCase> all()
        {
            final List<BenchmarkCase> all = new ArrayList<>(benchmarks);
            all.add(baseline);
            return all;
        }
    }

    @Override
    public Integer call() throws IOException, RunnerException
    {
        new OptionChecks(spec).writable("--jmh-output", jmhOutput);
        final List<Group> groups = selectedGroups();
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, NEEDED_BYTES))
        {
            final int runs = groups.stream().mapToInt((group) -> group.all().size()).sum() * options.rounds;
            run.begin(Profile.FAIR, String.format(
                Locale.ROOT, "%d rounds in random order, each case in its own JVM with %d warm-up iterations and %d " +
                    "measured ones",
                options.rounds, WARMUP_ITERATIONS, iterations()), runs * SECONDS_PER_RUN);
            runAll(run, groups, runs);
            print(run.out(), groups);
            return CommandLine.ExitCode.OK;
        }
    }

    private List<Group> selectedGroups()
    {
        final List<Group> groups = groups().stream().filter((group) -> only.matcher(group.name()).find()).toList();
        if (groups.isEmpty())
        {
            throw new ParameterException(spec.commandLine(), "nothing to run: no benchmark matches --only");
        }

        return groups;
    }

    private void runAll(final BenchmarkRun run, final List<Group> groups, final int runs)
        throws IOException, RunnerException
    {
        final Random random = new Random(options.seed);
        try (Progress progress = Progress.of(options.isQuiet, spec.name(), runs))
        {
            for (int round = 1; round <= options.rounds; round++)
            {
                for (final Group group : groups)
                {
                    final List<BenchmarkCase> benchmarks = group.all();
                    Collections.shuffle(benchmarks, random);
                    for (final BenchmarkCase benchmark : benchmarks)
                    {
                        progress.next(group.name() + " " + benchmark.label());
                        final RunResult result = run(benchmark, run.path());
                        raw.add(result);
                        final double time = median(result);
                        times.computeIfAbsent(benchmark, (key) -> new double[options.rounds])[round - 1] = time;
                        run.add(
                            round, group.name() + ", " + benchmark.label(), benchmark.parameters(),
                            Map.of("recordNs", Double.toString(time)));
                        progress.step();
                    }
                }
                progress.round("round " + round + " of " + options.rounds + " done");
            }
        }
    }

    private List<Group> groups()
    {
        final int[] lengths = isQuick ? QUICK_LENGTHS : LENGTHS;
        final List<Group> groups = new ArrayList<>();
        for (final int length : lengths)
        {
            groups.add(
                group("append", length, AppendBenchmark.class, "append", BackendConfig.all(length), ITERATION_LENGTH));
        }
        for (final int length : lengths)
        {
            // The write window does not affect readers.
            final List<BackendConfig> cases =
                BackendConfig.all(length).stream().filter((each) -> 0 == each.writeWindow()).toList();
            groups.add(group("replay", length, ReplayBenchmark.class, "replay", cases, ITERATION_LENGTH));
        }
        for (final int length : QUICK_LENGTHS)
        {
            groups.add(
                group("sustained", length, SustainedBenchmark.class, "append", BackendConfig.all(length),
                    SUSTAINED_LENGTH));
        }

        return groups;
    }

    private static Group group(
        final String what,
        final int recordLength,
        final Class<?> type,
        final String method,
        final List<BackendConfig> cases,
        final int iterationLength)
    {
        final String name = what + " " + recordLength + " B";
        final int frameLength = recordLength + FRAME_HEADER_LENGTH;
        final Class<?> baselineType = SustainedBenchmark.class == type ? AppendBenchmark.class : type;
        final BenchmarkCase baseline =
            new BenchmarkCase(name, baselineType, "baseline", null, recordLength, ITERATION_LENGTH / frameLength);
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final BackendConfig each : cases)
        {
            benchmarks.add(new BenchmarkCase(name, type, method, each, recordLength, iterationLength / frameLength));
        }

        return new Group(name, baseline, benchmarks);
    }

    private RunResult run(final BenchmarkCase benchmark, final Path directory) throws RunnerException, IOException
    {
        final Path log = directory.resolve("log");
        final boolean isSustained = SustainedBenchmark.class == benchmark.type();
        final ChainedOptionsBuilder options = new OptionsBuilder()
            .include("^" + benchmark.type().getName().replace(".", "\\.") + "\\." + benchmark.method() + "$")
            .forks(1)
            .warmupIterations(isSustained ? 1 : WARMUP_ITERATIONS)
            .measurementIterations(isSustained ? 2 : iterations())
            .operationsPerInvocation(benchmark.records())
            .timeUnit(TimeUnit.NANOSECONDS)
            .shouldFailOnError(true)
            .output(log.toString())
            .param("directory", directory.toString())
            .param("recordLength", Integer.toString(benchmark.recordLength()))
            .param("records", Integer.toString(benchmark.records()));
        if (null != benchmark.measured())
        {
            options.param("backend", benchmark.measured().backend().name());
        }
        if (null != benchmark.measured() && ReplayBenchmark.class != benchmark.type())
        {
            options.param("writeWindow", Integer.toString(benchmark.measured().writeWindow()));
        }

        final Collection<RunResult> results;
        try
        {
            results = new Runner(options.build()).run();
        }
        catch (final RunnerException ex)
        {
            System.err.println(Files.exists(log) ? Files.readString(log) : "");
            throw ex;
        }

        // A benchmark that does not run must fail, not just be missing in the table.
        if (1 != results.size())
        {
            throw new IllegalStateException("expected one result: subject=" + benchmark + ", found=" + results.size());
        }

        return results.iterator().next();
    }

    private int iterations()
    {
        return (int)options.scaled(isQuick ? QUICK_ITERATIONS : ITERATIONS);
    }

    private static double median(final RunResult result)
    {
        final double[] times = result.getBenchmarkResults().stream()
            .flatMap((benchmark) -> benchmark.getIterationResults().stream())
            .mapToDouble((iteration) -> iteration.getPrimaryResult().getScore())
            .toArray();
        return Spread.of(times).median();
    }

    private void print(final PrintWriter out, final List<Group> groups) throws IOException
    {
        out.println();
        final Table table = new Table("", "ns/record", "baseline", "ratio: median [min..max]");
        for (final Group group : groups)
        {
            final double[] baseline = times.get(group.baseline());
            for (final BenchmarkCase benchmark : group.benchmarks())
            {
                final Spread ratio = Spread.ofRatios(times.get(benchmark), baseline);
                table.row(
                    group.name() + ", " + benchmark.label(),
                    Rates.number("%.1f", Spread.of(times.get(benchmark)).median()),
                    Rates.number("%.1f", Spread.of(baseline).median()),
                    String.format(Locale.ROOT, "%.2f [%.2f..%.2f]", ratio.median(), ratio.min(), ratio.max()));
            }
        }
        table.print(out);

        if (null != jmhOutput)
        {
            try (PrintStream stream = new PrintStream(jmhOutput.toFile(), StandardCharsets.UTF_8))
            {
                ResultFormatFactory.getInstance(ResultFormatType.JSON, stream).writeOut(raw);
                if (stream.checkError())
                {
                    throw new IOException("JMH's results cannot be written: " + jmhOutput);
                }
            }
            if (1 != options.scale)
            {
                // JMH's format cannot record the scale.
                out.println(jmhOutput + ": " + options.scaleText());
            }
        }
        out.flush();
    }
}
