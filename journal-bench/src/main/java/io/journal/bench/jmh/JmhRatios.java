package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.experiment.Experiment;
import io.journal.bench.experiment.ExperimentCommand;
import io.journal.bench.experiment.Scope;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Spread;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;

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
    description = "JMH: append, sustained append and replay, each as a ratio to a copy of the same bytes with a " +
        "checksum, the minimum for any journal.",
    footer = {
        "%nExample: jmh --only='append 64 B' --rounds=3",
        "Takes: about 12 minutes, with --quick one." },
    sortOptions = false)
public final class JmhRatios extends ExperimentCommand
{
    private static final String RECORD_NS = "recordNs";
    private static final String APPEND = "append";
    private static final String REPLAY = "replay";
    private static final String SUSTAINED = "sustained";
    private static final String BASELINE = "baseline";
    private static final int FRAME_HEADER_LENGTH = 24;
    private static final int WARMUP_ITERATIONS = 3;
    private static final int ITERATIONS = 20;
    private static final int QUICK_ITERATIONS = 10;
    // All iterations of a fork must fit into a segment of 256 MiB.
    private static final int ITERATION_LENGTH = 8 * 1024 * 1024;
    private static final int SUSTAINED_LENGTH = 192 * 1024 * 1024;
    private static final List<Integer> LENGTHS = List.of(64, 256, 1024, 4096);
    private static final List<Integer> QUICK_LENGTHS = List.of(256);

    @Override
    protected Map<String, List<String>> chosen()
    {
        return Map.of();
    }

    @Override
    protected List<Experiment> experiments()
    {
        return table();
    }

    @Override
    protected boolean isOnlyOne()
    {
        return true;
    }

    /** The table. */
    public static List<Experiment> table()
    {
        return List.of(new Experiment("jmh", "jmh", Profile.FAIR, 3, "What does a record cost in processor time, " +
            "compared with a copy and a checksum of the same bytes?", JmhRatios::benchmarks));
    }

    private static List<BenchmarkCase> benchmarks(final Scope scope)
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final String what : List.of(APPEND, REPLAY, SUSTAINED))
        {
            for (final int length : !scope.isFull() || SUSTAINED.equals(what) ? QUICK_LENGTHS : LENGTHS)
            {
                // The write window does not affect readers.
                BackendConfig.all(length).stream().filter((each) -> !REPLAY.equals(what) || 0 == each.writeWindow())
                    .filter((each) -> BackendConfig.isUsable(each.backend(), scope.directory()))
                    .filter((each) -> scope.isFull() || 0 == each.writeWindow() && !SUSTAINED.equals(what))
                    .forEach((config) -> benchmarks.add(benchmark(scope, what, length, config)));
                if (scope.isFull() || !SUSTAINED.equals(what))
                {
                    benchmarks.add(benchmark(scope, what, length, null));
                }
            }
        }
        return benchmarks;
    }

    /** What is compared with one baseline, which each group has to itself even if it equals another group's. */
    private static String group(final String what, final int recordLength)
    {
        return what + " " + recordLength + " B";
    }

    /** @param config null for the baseline. */
    private static BenchmarkCase benchmark(
        final Scope scope, final String what, final int recordLength, final BackendConfig config)
    {
        final boolean isBaseline = null == config;
        return BenchmarkCase.ofGroup(
            group(what, recordLength), isBaseline ? BASELINE : config.label(),
            (directory) -> run(scope, what, recordLength, config, directory))
            .parameter("what", what)
            .parameter("recordLength", recordLength)
            .parameter("backend", isBaseline ? BASELINE : config.backend().name())
            .parameter("windowLength", isBaseline ? 0 : config.writeWindow());
    }

    private static Map<String, String> run(
        final Scope scope, final String what, final int recordLength, final BackendConfig config, final Path directory)
        throws IOException
    {
        final Path log = directory.resolve("log");
        final boolean isReplay = REPLAY.equals(what);
        final boolean isSustained = null != config && SUSTAINED.equals(what);
        final Class<?> type = isReplay ? ReplayBenchmark.class : AppendBenchmark.class;
        final String method = null == config ? BASELINE : isReplay ? REPLAY : APPEND;
        final int records =
            (isSustained ? SUSTAINED_LENGTH : ITERATION_LENGTH) / (recordLength + FRAME_HEADER_LENGTH);
        final ChainedOptionsBuilder jmh = new OptionsBuilder()
            .include("^" + type.getName().replace(".", "\\.") + "\\." + method + "$")
            .forks(1)
            .warmupIterations(isSustained ? 1 : WARMUP_ITERATIONS)
            .measurementIterations(isSustained ? 2 : scope.isFull() ? ITERATIONS : QUICK_ITERATIONS)
            .operationsPerInvocation(records)
            .timeUnit(TimeUnit.NANOSECONDS)
            .shouldFailOnError(true)
            .output(log.toString())
            .param("directory", directory.toString())
            .param("recordLength", Integer.toString(recordLength))
            .param("records", Integer.toString(records));
        if (null != config)
        {
            jmh.param("backend", config.backend().name());
            if (!isReplay)
            {
                jmh.param("writeWindow", Integer.toString(config.writeWindow()))
                    .param("isSustained", Boolean.toString(isSustained));
            }
        }
        try
        {
            final Collection<RunResult> results = new Runner(jmh.build()).run();
            // A benchmark that does not run must fail, not just be missing in the table.
            if (1 != results.size())
            {
                throw new IllegalStateException(
                    "expected one result: " + group(what, recordLength) + ", " + method + ", found=" + results.size());
            }
            final double[] times = results.iterator().next().getBenchmarkResults().stream()
                .flatMap((benchmark) -> benchmark.getIterationResults().stream())
                .mapToDouble((iteration) -> iteration.getPrimaryResult().getScore())
                .toArray();
            return Map.of(RECORD_NS, Double.toString(Spread.of(times).median()));
        }
        catch (final RunnerException ex)
        {
            throw new IllegalStateException(
                ex.getMessage() + "\n" + (Files.exists(log) ? Files.readString(log) : ""), ex);
        }
    }
}
