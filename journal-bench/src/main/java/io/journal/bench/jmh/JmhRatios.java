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

import io.journal.bench.journal.Case;
import io.journal.bench.run.Checks;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Progress;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Session;
import io.journal.bench.run.Spread;
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
    description = "JMH: appends, sustained appends and replay, each beside a copy of the same bytes with a checksum, " +
        "which no journal can do without: how many times its time the journal takes.",
    footer = {
        "%nAnswers: what does the journal itself cost for each record, without a disk in the way?",
        "Example: jmh --only='append 64 B' --rounds=3",
        "Takes: about 12 minutes, with --quick --rounds=1 half a minute." },
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
    private static final double SECONDS_PER_RUN = 3;
    private static final long NEEDED_BYTES = 2L * 1024 * 1024 * 1024;

    @Spec
    private CommandSpec spec;

    @Mixin
    private RunOptions options;

    @Option(names = "--quick", arity = "0..1", fallbackValue = "true", defaultValue = "false", description = "Only " +
        "records of 256 bytes, and fewer iterations.")
    private boolean isQuick;

    @Option(names = "--only", defaultValue = ".", description = "Only what this regular expression is found in, such " +
        "as 'append 64 B', replay, sustained.")
    private Pattern only;

    @Option(names = "--jmh-output", description = "File for JMH's own results, as JSON; none unless set.")
    private Path jmhOutput;

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

    @Override
    public Integer call() throws IOException, RunnerException
    {
        new Checks(spec).writable("--jmh-output", jmhOutput);
        final List<Group> groups = selectedGroups();
        try (Session session = Session.open(spec, options, NEEDED_BYTES))
        {
            final int runs = groups.stream().mapToInt((group) -> group.all().size()).sum() * options.rounds;
            session.begin(Profile.FAIR, String.format(
                Locale.ROOT, "%d rounds; in each a JVM for each case, in random order, in it %d iterations before " +
                    "counting and %d that count",
                options.rounds, WARMUP_ITERATIONS, iterations()), runs * SECONDS_PER_RUN);
            runAll(session, groups, runs);
            print(session.out(), groups);
            return CommandLine.ExitCode.OK;
        }
    }

    private List<Group> selectedGroups()
    {
        final List<Group> groups = groups().stream().filter((group) -> only.matcher(group.name()).find()).toList();
        if (groups.isEmpty())
        {
            throw new ParameterException(spec.commandLine(), "nothing to run: see --only");
        }

        return groups;
    }

    private void runAll(final Session session, final List<Group> groups, final int runs)
        throws IOException, RunnerException
    {
        final Random random = new Random(options.seed);
        try (Progress progress = Progress.of(options.isQuiet, spec.name(), runs))
        {
            for (int round = 1; round <= options.rounds; round++)
            {
                for (final Group group : groups)
                {
                    final List<Subject> subjects = group.all();
                    Collections.shuffle(subjects, random);
                    for (final Subject subject : subjects)
                    {
                        progress.next(group.name() + " " + subject.label());
                        final RunResult result = run(subject, session.path());
                        raw.add(result);
                        final double time = median(result);
                        times.computeIfAbsent(subject, (key) -> new double[options.rounds])[round - 1] = time;
                        session.add(
                            round, group.name() + ", " + subject.label(), subject.parameters(),
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
                // Its own format has no place for that.
                out.println(jmhOutput + ": " + options.scaleText());
            }
        }
        out.flush();
    }
}
