package io.journal.bench.jmh;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.journal.bench.journal.BackendConfig;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Experiment;
import io.journal.bench.run.OptionChecks;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Table;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

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
public final class JmhRatios extends Experiment
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
    private static final double SECONDS_PER_RUN = 3;
    private static final long NEEDED_BYTES = 2L * 1024 * 1024 * 1024;

    @Option(names = "--quick", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "Only " +
        "records of 256 bytes, and fewer iterations.")
    private boolean isQuick;

    @Option(names = "--only", defaultValue = ".", description = "Only benchmarks that match this regular expression, " +
        "such as 'append 64 B', replay, sustained.")
    private Pattern only;

    @Option(names = "--jmh-output", description = "File for JMH's own results, as JSON. Default: none.")
    private Path jmhOutput;

    private final List<RunResult> raw = new ArrayList<>();

    @Override
    protected void check(final OptionChecks checks)
    {
        checks.writable("--jmh-output", jmhOutput)
            .that(!benchmarks(null).isEmpty(), "nothing to run: no benchmark matches --only");
    }

    @Override
    protected double neededBytes()
    {
        return NEEDED_BYTES;
    }

    @Override
    protected Plan plan(final List<BenchmarkCase> benchmarks)
    {
        return Plan.of(
            options.rounds * benchmarks.size() * SECONDS_PER_RUN,
            "%d rounds in random order, each case in its own JVM with %d warm-up iterations and %d measured ones",
            options.rounds, WARMUP_ITERATIONS, iterations());
    }

    @Override
    protected List<BenchmarkCase> benchmarks(final BenchmarkRun run)
    {
        final List<BenchmarkCase> benchmarks = new ArrayList<>();
        for (final String what : List.of(APPEND, REPLAY, SUSTAINED))
        {
            for (final int length : isQuick || SUSTAINED.equals(what) ? QUICK_LENGTHS : LENGTHS)
            {
                if (only.matcher(group(what, length)).find())
                {
                    // The write window does not affect readers.
                    BackendConfig.all(length).stream().filter((each) -> !REPLAY.equals(what) || 0 == each.writeWindow())
                        .forEach((config) -> benchmarks.add(benchmark(what, length, config)));
                    benchmarks.add(benchmark(what, length, null));
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
    private BenchmarkCase benchmark(final String what, final int recordLength, final BackendConfig config)
    {
        final boolean isBaseline = null == config;
        return BenchmarkCase.ofGroup(
            group(what, recordLength), isBaseline ? BASELINE : config.label(),
            (directory) -> run(what, recordLength, config, directory))
            .parameter("what", what)
            .parameter("recordLength", recordLength)
            .parameter("backend", isBaseline ? BASELINE : config.backend().name())
            .parameter("windowLength", isBaseline ? 0 : config.writeWindow());
    }

    private Map<String, String> run(
        final String what, final int recordLength, final BackendConfig config, final Path directory) throws IOException
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
            .measurementIterations(isSustained ? 2 : iterations())
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
            raw.addAll(results);
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

    private int iterations()
    {
        return (int)options.scaled(isQuick ? QUICK_ITERATIONS : ITERATIONS);
    }

    @Override
    protected void print(final PrintWriter out, final Results results, final List<BenchmarkCase> benchmarks)
        throws IOException
    {
        out.println();
        final Table table = new Table("", "ns/record", BASELINE, "ratio: median [min..max]");
        for (final BenchmarkCase each : benchmarks)
        {
            final String baseline = each.group() + ", " + BASELINE;
            if (!baseline.equals(each.label()))
            {
                table.row(
                    each.label(),
                    Table.number("%.1f", results.spread(each.label(), RECORD_NS).median()),
                    Table.number("%.1f", results.spread(baseline, RECORD_NS).median()),
                    results.ratioText(each.label(), baseline, RECORD_NS));
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
    }
}
