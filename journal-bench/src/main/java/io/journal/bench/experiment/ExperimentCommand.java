// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.experiment;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

import io.journal.bench.report.Report;
import io.journal.bench.report.ResultFile;
import io.journal.bench.report.Tables;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.BenchmarkRun;
import io.journal.bench.run.Profile;
import io.journal.bench.run.RunOptions;
import io.journal.bench.run.Terminal;
import picocli.CommandLine;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/**
 * Runs experiments of a table by their names: makes the cases, measures them in rounds, prints tables and an answer.
 */
public abstract class ExperimentCommand implements Callable<Integer>
{
    private static final String ALL = "all";
    // A quick look takes a case of each kind, not every length.
    private static final int QUICK_CASES = 33;
    private static final int QUICK_ROUNDS = 3;

    @Spec
    protected CommandSpec spec;

    @Mixin
    protected RunOptions options = new RunOptions();

    @Option(names = "--only", defaultValue = ".", description = "Only cases whose name matches this regular " +
        "expression.")
    private Pattern only;

    @Parameters(arity = "0..*", paramLabel = "NAME", description = "Experiments to run; " + ALL + " runs each in " +
        "turn. Without a name, prints them.")
    private List<String> names = List.of();

    protected abstract List<Experiment> experiments();

    protected void checkOptions()
    {
        options.check(spec);
    }

    /** Options by name, of which a {@link Scope} takes lengths and numbers. */
    private Map<String, List<String>> chosen()
    {
        final Map<String, List<String>> chosen = new LinkedHashMap<>();
        spec.commandLine().getParseResult().matchedOptions().forEach((option) -> chosen.put(
            option.longestName().substring(2),
            option.getValue() instanceof Collection<?> values ? values.stream().map(Object::toString).toList() :
                List.of(String.valueOf(option.<Object>getValue()))));
        return chosen;
    }

    /** Whether it runs when all experiments are requested. */
    protected boolean isOneOfAll(final Experiment experiment)
    {
        return true;
    }

    @Override
    public final Integer call() throws IOException, InterruptedException
    {
        checkOptions();
        final Map<String, Experiment> known = new LinkedHashMap<>();
        experiments().forEach((each) -> known.put(each.name(), each));
        if (names.isEmpty() && known.size() > 1)
        {
            print("Experiments, each with the question that it answers:");
            known.values().forEach((each) -> print("- " + each.name() + ": " + each.question()));
            return CommandLine.ExitCode.OK;
        }
        final List<String> wanted = !names.isEmpty() && !names.contains(ALL) ? names :
            experiments().stream().filter(this::isOneOfAll).map(Experiment::name).toList();
        wanted.forEach((name) -> RunOptions.require(spec, known.containsKey(name),
            "no such experiment: " + name + "; known: " + String.join(", ", known.keySet())));
        RunOptions.require(spec, 1 == wanted.size() || null == options.output,
            "--output is for one experiment; --report keeps the results of several");
        final List<String> failed = new ArrayList<>();
        final long quickNs = TimeUnit.SECONDS.toNanos(RunOptions.QUICK_SECONDS);
        final long start = System.nanoTime();
        for (int i = 0; i < wanted.size(); i++)
        {
            if (options.isQuick && System.nanoTime() - start > quickNs)
            {
                print("\nNo time was left for: " + String.join(", ", wanted.subList(i, wanted.size())));
                break;
            }
            // Each experiment has its share of the time.
            final long endNs = start + quickNs * (i + 1) / wanted.size();
            try
            {
                run(known.get(wanted.get(i)), () -> options.isQuick && System.nanoTime() > endNs, failed);
            }
            catch (final CancellationException ex)
            {
                throw ex;
            }
            catch (final IOException | IllegalStateException ex)
            {
                if (1 == wanted.size())
                {
                    throw ex;
                }
                failed.add(wanted.get(i) + ": " + ex.getMessage());
            }
        }
        failed.forEach((each) -> spec.commandLine().getErr().println("failed: " + each));
        final int reported = null == options.report ? CommandLine.ExitCode.OK :
            Report.writeAfter(spec.commandLine(), options.report);
        return failed.isEmpty() ? reported : CommandLine.ExitCode.SOFTWARE;
    }

    private void print(final String line)
    {
        final PrintWriter out = spec.commandLine().getOut();
        out.println(Terminal.wrap(line.startsWith("- ") ? 2 : 0, line));
        out.flush();
    }

    /** @param failed to which failed cases are added: the others are measured and printed. */
    private void run(final Experiment experiment, final BooleanSupplier isTimeUp, final List<String> failed)
        throws IOException, InterruptedException
    {
        try (BenchmarkRun run = BenchmarkRun.open(spec, options, experiment.name()))
        {
            final Scope scope = new Scope(run.path(), options.isQuick ? Scope.QUICK : 1, chosen());
            final List<BenchmarkCase> all = experiment.cases().of(scope).stream()
                .filter((each) -> only.matcher(each.label()).find()).toList();
            RunOptions.require(spec, !all.isEmpty(), "nothing to measure" + (scope.notes().isEmpty() ? "" : ": " +
                String.join("; ", scope.notes())));
            final List<BenchmarkCase> cases = options.isQuick ? thinned(all) : all;
            // A program as published has its own repeats.
            final int own = options.isQuick ? Math.min(QUICK_ROUNDS, experiment.rounds()) : experiment.rounds();
            final int rounds =
                null != options.rounds && Profile.FAITHFUL != experiment.profile() ? options.rounds : own;
            run.require(cases.stream().mapToLong(BenchmarkCase::writtenBytes).max().orElse(0));
            run.begin(experiment.kind(), experiment.profile(), scope.scale(), plan(experiment, scope, cases, rounds),
                cases);
            print("\n" + experiment.question());
            run.measure(cases, rounds, isTimeUp, (failure) ->
            {
                failed.add(experiment.name() + ": " + failure.getMessage().lines().findFirst().orElse(""));
                spec.commandLine().getErr().println(failure.getMessage());
            });
            final Tables tables = new Tables(ResultFile.of(experiment.name(), run.header(), run.lines()));
            tables.print(run.out());
            print("\n" + tables.answer());
        }
    }

    private static String plan(
        final Experiment experiment, final Scope scope, final List<BenchmarkCase> cases, final int rounds)
    {
        return (Profile.FAITHFUL == experiment.profile() ? "the program as published, in a JVM of its own" :
            String.format(
                "%d cases, %d rounds in random order; each case in a process of its own, without JVM flags but for " +
                    "those it names, warmed up; contents verified",
                cases.size(), rounds)) +
            (scope.notes().isEmpty() ? "" : "; " + String.join("; ", scope.notes()));
    }

    /** Cases at equal distances, including the first and the last. */
    private static List<BenchmarkCase> thinned(final List<BenchmarkCase> all)
    {
        return all.size() <= QUICK_CASES ? all : IntStream.range(0, QUICK_CASES)
            .mapToObj((i) -> all.get(i * (all.size() - 1) / (QUICK_CASES - 1))).toList();
    }
}
