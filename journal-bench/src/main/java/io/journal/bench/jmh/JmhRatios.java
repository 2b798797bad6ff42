// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.jmh;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import io.journal.bench.experiment.Experiment;
import io.journal.bench.experiment.ExperimentCommand;
import io.journal.bench.experiment.Scope;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Child;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Profile;
import io.journal.bench.subject.BackendConfig;
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
 * A round runs the baseline and all benchmarks that are compared with it, in random order, each in a JVM of its own.
 * Ratios are taken within the round, so that a slow phase of the machine affects both sides.
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

    @Override
    protected List<Experiment> experiments()
    {
        return table();
    }

    public static List<Experiment> table()
    {
        return List.of(new Experiment("jmh", "jmh", Profile.FAIR, 3, "What does a record cost in processor time, " +
            "compared with a copy and a checksum of the same bytes?", JmhRatios::benchmarks));
    }

    private static List<BenchmarkCase> benchmarks(final Scope scope)
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final String what : scope.isFull() ? List.of(APPEND, REPLAY, SUSTAINED) : List.of(APPEND, REPLAY))
        {
            for (final int length : !scope.isFull() || SUSTAINED.equals(what) ? List.of(256) : LENGTHS)
            {
                // The write window does not affect readers.
                BackendConfig.all(length).stream()
                    .filter((each) -> 0 == each.writeWindow() || scope.isFull() && !REPLAY.equals(what))
                    .filter((each) -> BackendConfig.isUsable(each.backend(), scope.directory()))
                    .forEach((each) -> benchmarks.add(benchmark(
                        scope, what, length, each.label(), each.backend().name(), each.writeWindow())));
                benchmarks.add(benchmark(scope, what, length, BASELINE, BASELINE, 0));
            }
        }
        return benchmarks;
    }

    /** Each group has a baseline to itself, even if it equals another group's. */
    private static BenchmarkCase benchmark(
        final Scope scope, final String what, final int recordLength, final String label, final String backend,
        final int window)
    {
        final String group = what + " " + recordLength + " B";
        return BenchmarkCase.of(group + ", " + label, JmhTrial.class).inGroup(group).parameter("what", what)
            .parameter("recordLength", recordLength).parameter("backend", backend).parameter("windowLength", window)
            .argument("iterations", scope.isFull() ? ITERATIONS : QUICK_ITERATIONS);
    }

    /** Runs one JMH benchmark, in a fork of its own, and prints the median of its iterations. */
    static final class JmhTrial
    {
        private JmhTrial()
        {
        }

        public static void main(final String[] args) throws IOException, RunnerException
        {
            final Arguments arguments = Arguments.of(args);
            final Path log = arguments.directory().resolve("log");
            final String what = arguments.text("what");
            final String backend = arguments.text("backend");
            final boolean isBaseline = BASELINE.equals(backend);
            final boolean isReplay = REPLAY.equals(what);
            final boolean isSustained = !isBaseline && SUSTAINED.equals(what);
            final int length = arguments.length("recordLength");
            final int records = (isSustained ? SUSTAINED_LENGTH : ITERATION_LENGTH) / (length + FRAME_HEADER_LENGTH);
            final ChainedOptionsBuilder jmh = new OptionsBuilder()
                .include("^" + JournalBenchmark.class.getName().replace(".", "\\.") + "\\." +
                    (isReplay ? "replay" : "append") + (isBaseline ? "Baseline" : "") + "$")
                .forks(1)
                .warmupIterations(isSustained ? 1 : WARMUP_ITERATIONS)
                .measurementIterations(isSustained ? 2 : arguments.length("iterations"))
                .operationsPerInvocation(records)
                .timeUnit(TimeUnit.NANOSECONDS)
                .shouldFailOnError(true)
                .output(log.toString())
                .param("directory", arguments.directory().toString())
                .param("recordLength", Integer.toString(length))
                .param("records", Integer.toString(records));
            if (!isBaseline)
            {
                jmh.param("backend", backend);
            }
            if (!isBaseline && !isReplay)
            {
                jmh.param("writeWindow", arguments.text("windowLength"))
                    .param("isSustained", Boolean.toString(isSustained));
            }
            try
            {
                // Fails if there is not exactly one benchmark of this name.
                final RunResult result = new Runner(jmh.build()).runSingle();
                Child.print("recordNs", Interval.range(result.getBenchmarkResults().stream()
                    .flatMap((each) -> each.getIterationResults().stream())
                    .mapToDouble((each) -> each.getPrimaryResult().getScore()).toArray()).median());
            }
            catch (final RunnerException ex)
            {
                System.err.print(Files.readString(log));
                throw ex;
            }
        }
    }
}
