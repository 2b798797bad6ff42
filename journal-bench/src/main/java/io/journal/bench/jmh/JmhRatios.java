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
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Commands;
import io.journal.bench.run.Machine;
import io.journal.bench.run.Progress;
import io.journal.bench.run.Spread;
import io.journal.bench.run.TempDirectory;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatFactory;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/**
 * Runs the JMH benchmarks and prints how many times its baseline each takes. From a clean clone:
 * <pre>
 * mvn -q -Pratios package
 * </pre>
 * A repetition runs the baseline and everything that is compared with it in turn, in random order, each in a JVM of its
 * own, and a ratio is taken within the repetition: what slows down the machine for a while slows down both.
 */
@Command(
    name = "ratios",
    description = "How many times the time of a plain copy with a checksum the journal takes.",
    sortOptions = false)
public final class JmhRatios implements Callable<Integer>
{
    private static final int FRAME_HEADER_LENGTH = 24;
    private static final int WARMUP_ITERATIONS = 3;
    private static final int ITERATIONS = 20;
    private static final int QUICK_ITERATIONS = 10;
    // What all iterations of a fork append has to fit into a segment of 256 MiB.
    private static final int ITERATION_LENGTH = 8 * 1024 * 1024;
    private static final int SUSTAINED_LENGTH = 192 * 1024 * 1024;
    private static final int[] LENGTHS = { 64, 256, 1024, 4096 };
    private static final int[] QUICK_LENGTHS = { 256 };

    @Spec
    private CommandSpec spec;

    @Option(names = "--dir", defaultValue = "target", description = "Where the journals are written; removed " +
        "afterwards. Default: ${DEFAULT-VALUE}")
    private Path directory;

    @Option(names = "--repetitions", defaultValue = "3", description = "How often everything is run. Default: " +
        "${DEFAULT-VALUE}")
    private int repetitions;

    @Option(names = "--quick", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "Only " +
        "records of 256 bytes, and fewer iterations.")
    private boolean isQuick;

    @Option(names = "--only", defaultValue = ".", description = "Only what this regular expression is found in, such " +
        "as 'append 64 B', replay, sustained.")
    private Pattern only;

    @Option(names = "--seed", defaultValue = "1", description = "Of the order. Default: ${DEFAULT-VALUE}")
    private long seed;

    @Option(names = "--output", description = "File for the raw results, as JSON; none unless set.")
    private Path output;

    @Option(names = "--quiet", description = "No progress.")
    private boolean isQuiet;

    @Option(names = { "-h", "--help" }, usageHelp = true, description = "Print this.")
    private boolean isHelpWanted;

    private final Map<Subject, double[]> times = new HashMap<>();
    private final List<RunResult> raw = new ArrayList<>();

    /**
     * A benchmark with parameters, of a group: two groups may have the same baseline, but each runs its own.
     */
    private record Subject(String group, Class<?> type, String method, Case measured, int recordLength, int records)
    {
        String label()
        {
            return null == measured ? "baseline" : measured.label();
        }
    }

    /**
     * Subjects that are compared with one baseline.
     */
    private record Group(String name, Subject baseline, List<Subject> subjects)
    {
        List<Subject> all()
        {
            final List<Subject> all = new ArrayList<>(subjects);
            all.add(baseline);
            return all;
        }
    }

    public static void main(final String[] args)
    {
        System.exit(Commands.of(new JmhRatios()).execute(args));
    }

    @Override
    public Integer call() throws IOException, RunnerException
    {
        final List<Group> groups = selectedGroups();
        final PrintWriter out = spec.commandLine().getOut();
        try (TempDirectory temp = openDirectory())
        {
            describe(out, temp);
            runAll(groups, temp);
            print(out, groups);
            return CommandLine.ExitCode.OK;
        }
    }

    private List<Group> selectedGroups()
    {
        final List<Group> groups = groups().stream().filter((group) -> only.matcher(group.name()).find()).toList();
        if (groups.isEmpty() || repetitions < 1)
        {
            throw new ParameterException(spec.commandLine(), "nothing to run: see --only and --repetitions");
        }

        return groups;
    }

    private TempDirectory openDirectory()
    {
        try
        {
            final TempDirectory temp = TempDirectory.below(directory, "ratios-");
            // After Ctrl-C, which ends the forks as well.
            Runtime.getRuntime().addShutdownHook(new Thread(temp::close));
            return temp;
        }
        catch (final IOException ex)
        {
            throw new ParameterException(spec.commandLine(), "--dir cannot be written: " + ex);
        }
    }

    private void describe(final PrintWriter out, final TempDirectory temp) throws IOException
    {
        out.print(Machine.describe(temp.path()));
        out.printf(
            Locale.ROOT, "command      ratios --dir=%s --only=%s --repetitions=%d --quick=%b --seed=%d%n",
            directory, only, repetitions, isQuick, seed);
        out.printf(
            Locale.ROOT,
            "plan         a JVM for each case in each repetition, in it %d iterations before counting and " +
                "%d that count%n",
            WARMUP_ITERATIONS, iterations());
        out.flush();
    }

    private void runAll(final List<Group> groups, final TempDirectory temp) throws IOException, RunnerException
    {
        final int runs = groups.stream().mapToInt((group) -> group.all().size()).sum();
        final Random random = new Random(seed);
        try (Progress progress = Progress.of(isQuiet, "ratios", runs * repetitions))
        {
            for (int repetition = 0; repetition < repetitions; repetition++)
            {
                for (final Group group : groups)
                {
                    final List<Subject> subjects = group.all();
                    Collections.shuffle(subjects, random);
                    for (final Subject subject : subjects)
                    {
                        progress.next(group.name() + " " + subject.label());
                        final RunResult result = run(subject, temp.path());
                        raw.add(result);
                        times.computeIfAbsent(subject, (key) -> new double[repetitions])[repetition] = median(result);
                        progress.step();
                    }
                }
                progress.round("repetition " + (repetition + 1) + " of " + repetitions + " done");
            }
        }
    }

    private List<Group> groups()
    {
        final int[] lengths = isQuick ? QUICK_LENGTHS : LENGTHS;
        final List<Group> groups = new ArrayList<>();
        for (final int length : lengths)
        {
            groups.add(group("append", length, AppendBenchmark.class, "append", Case.all(length), ITERATION_LENGTH));
        }
        for (final int length : lengths)
        {
            // A reader has a window of its own.
            final List<Case> cases = Case.all(length).stream().filter((each) -> 0 == each.writeWindow()).toList();
            groups.add(group("replay", length, ReplayBenchmark.class, "replay", cases, ITERATION_LENGTH));
        }
        for (final int length : QUICK_LENGTHS)
        {
            groups.add(
                group("sustained", length, SustainedBenchmark.class, "append", Case.all(length), SUSTAINED_LENGTH));
        }

        return groups;
    }

    private static Group group(
        final String what,
        final int recordLength,
        final Class<?> type,
        final String method,
        final List<Case> cases,
        final int iterationLength)
    {
        final String name = what + " " + recordLength + " B";
        final int frameLength = recordLength + FRAME_HEADER_LENGTH;
        final Class<?> baselineType = SustainedBenchmark.class == type ? AppendBenchmark.class : type;
        final Subject baseline =
            new Subject(name, baselineType, "baseline", null, recordLength, ITERATION_LENGTH / frameLength);
        final List<Subject> subjects = new ArrayList<>();
        for (final Case each : cases)
        {
            subjects.add(new Subject(name, type, method, each, recordLength, iterationLength / frameLength));
        }

        return new Group(name, baseline, subjects);
    }

    private RunResult run(final Subject subject, final Path directory) throws RunnerException, IOException
    {
        final Path log = directory.resolve("log");
        final boolean isSustained = SustainedBenchmark.class == subject.type();
        final ChainedOptionsBuilder options = new OptionsBuilder()
            .include("^" + subject.type().getName().replace(".", "\\.") + "\\." + subject.method() + "$")
            .forks(1)
            .warmupIterations(isSustained ? 1 : WARMUP_ITERATIONS)
            .measurementIterations(isSustained ? 2 : iterations())
            .operationsPerInvocation(subject.records())
            .timeUnit(TimeUnit.NANOSECONDS)
            .shouldFailOnError(true)
            .output(log.toString())
            .param("directory", directory.toString())
            .param("recordLength", Integer.toString(subject.recordLength()))
            .param("records", Integer.toString(subject.records()));
        if (null != subject.measured())
        {
            options.param("backend", subject.measured().backend().name());
        }
        if (null != subject.measured() && ReplayBenchmark.class != subject.type())
        {
            options.param("writeWindow", Integer.toString(subject.measured().writeWindow()));
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

        // Without this, a benchmark that does not run would be a table without its line.
        if (1 != results.size())
        {
            throw new IllegalStateException("expected one result: subject=" + subject + ", found=" + results.size());
        }

        return results.iterator().next();
    }

    private int iterations()
    {
        return isQuick ? QUICK_ITERATIONS : ITERATIONS;
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
        out.printf(
            Locale.ROOT, "%n%-16s %-34s %12s %12s   %s%n",
            "", "", "ns/record", "baseline", "ratio: median [min..max]");
        for (final Group group : groups)
        {
            final double[] baseline = times.get(group.baseline());
            for (final Subject subject : group.subjects())
            {
                final Spread ratio = Spread.ofRatios(times.get(subject), baseline);
                out.printf(
                    Locale.ROOT, "%-16s %-34s %12.1f %12.1f   %.2f [%.2f..%.2f]%n",
                    group.name(), subject.label(),
                    Spread.of(times.get(subject)).median(), Spread.of(baseline).median(),
                    ratio.median(), ratio.min(), ratio.max());
            }
        }

        if (null != output)
        {
            try (PrintStream stream = new PrintStream(output.toFile(), StandardCharsets.UTF_8))
            {
                ResultFormatFactory.getInstance(ResultFormatType.JSON, stream).writeOut(raw);
            }
            out.println();
            out.println("raw results: " + output);
        }
        out.flush();
    }
}
