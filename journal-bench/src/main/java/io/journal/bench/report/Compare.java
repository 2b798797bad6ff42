package io.journal.bench.report;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;

import com.fasterxml.jackson.databind.node.JsonNodeFactory;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.journal.bench.run.Interval;
import io.journal.bench.run.OptionChecks;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine;

/**
 * Compares two runs, for example before and after a change, or on two machines.
 */
@Command(
    name = "compare",
    description = "Compares two result files, or two directories of them: for each case and value the ratio of the " +
        "second to the first, and whether they differ. Rounds of different runs are unpaired, so intervals are wide. " +
        "Warns of differences in machine, build and settings.",
    sortOptions = false)
public final class Compare implements Callable<Integer>
{
    private static final List<String> FACTS = List.of(
        "CPU", "memory", "JDK", "JVM flags", "kernel", "file system", "disk", "commit");

    @Spec
    private CommandSpec spec;

    @Parameters(index = "0", paramLabel = "BEFORE", description = "Result file, or directory of them.")
    private Path first;

    @Parameters(index = "1", paramLabel = "AFTER", description = "Result file, or directory of them.")
    private Path second;

    @Option(names = "--all", description = "Include CPU time, page faults and other resource usage.")
    private boolean isAllIncluded;

    @Option(names = "--json", description = "Print JSON lines instead of text.")
    private boolean isJson;

    @Override
    public Integer call() throws IOException
    {
        final OptionChecks checks = new OptionChecks(spec).there(first).there(second);
        final List<ResultFile> before = read(first);
        final List<ResultFile> after = read(second);
        final List<Comparison> all = comparisons(before, after);
        checks.that(!all.isEmpty(), "nothing to compare: no experiment is in both");
        warnOfOthers(before, all.stream().map(Comparison::first).toList(), "before");
        warnOfOthers(after, all.stream().map(Comparison::second).toList(), "after");
        final PrintWriter out = spec.commandLine().getOut();
        all.forEach(isJson ? (each) -> printJson(out, each) : (each) -> print(out, each));
        out.flush();
        return CommandLine.ExitCode.OK;
    }

    private List<ResultFile> read(final Path path) throws IOException
    {
        return Report.read(spec.commandLine(), List.of(path), (warning) -> Report.warn(spec.commandLine(), warning));
    }

    private void warnOfOthers(final List<ResultFile> runs, final List<ResultFile> compared, final String when)
    {
        runs.stream().filter((run) -> !compared.contains(run)).forEach((run) -> Report.warn(
            spec.commandLine(), "not compared, only " + when + ": " + run.experiment() + ", " + run.profile() + ", " +
                run.name()));
    }

    /** All pairs of runs with the same experiment and profile; if there are several, those of the same name. */
    private static List<Comparison> comparisons(final List<ResultFile> first, final List<ResultFile> second)
    {
        final List<Comparison> all = new ArrayList<>();
        for (final ResultFile one : first)
        {
            final List<ResultFile> others = sameKind(second, one);
            final boolean isOnly = 1 == sameKind(first, one).size();
            others.stream().filter((other) -> other.name().equals(one.name())).findFirst()
                .or(() -> isOnly ? others.stream().findFirst() : Optional.empty())
                .ifPresent((other) -> all.add(new Comparison(one, other, !isOnly || others.size() > 1)));
        }
        return all;
    }

    private static List<ResultFile> sameKind(final List<ResultFile> runs, final ResultFile one)
    {
        return runs.stream().filter((each) -> each.experiment().equals(one.experiment()) &&
            each.profile().equals(one.profile())).toList();
    }

    private void print(final PrintWriter out, final Comparison comparison)
    {
        out.printf("%n%s%n", comparison.name());
        comparison.warnings().forEach((warning) -> out.println("warning: " + warning));
        String label = "";
        for (final Line line : comparison.lines(isAllIncluded))
        {
            if (!label.equals(line.label()))
            {
                label = line.label();
                out.println(label);
            }
            out.printf(
                Locale.ROOT, "  %-24s %14s -> %-14s %-26s %s%n", line.key(), Unit.number(line.before()),
                Unit.number(line.after()), String.format(
                    Locale.ROOT, "%.3f [%.3f..%.3f]", line.ratio().median(), line.ratio().low(), line.ratio().high()),
                !line.differs() ? "no significant difference" :
                    line.leastRounds() < 3 ? "differs, but too few rounds" : "differs");
        }
        comparison.alone().forEach((text) -> out.println("not compared: " + text));
    }

    private void printJson(final PrintWriter out, final Comparison comparison)
    {
        comparison.warnings().forEach((warning) -> out.println(node(comparison).put("warning", warning)));
        comparison.lines(isAllIncluded).forEach((line) -> out.println(node(comparison)
            .put("case", line.label()).put("key", line.key()).put("before", line.before()).put("after", line.after())
            .put("ratio", line.ratio().median()).put("low", line.ratio().low()).put("high", line.ratio().high())
            .put("confidence", line.ratio().confidence()).put("differs", line.differs())));
        comparison.alone().forEach((text) -> out.println(node(comparison).put("notCompared", text)));
    }

    private static ObjectNode node(final Comparison comparison)
    {
        return JsonNodeFactory.instance.objectNode().put("run", comparison.name());
    }

    /** A fact of a machine without its volatile parts. */
    static String steady(final String fact)
    {
        return fact.replaceAll(", [\\d?]+ MiB available", "").replaceAll(", [\\d,]+ MB free", "");
    }

    /**
     * Comparison of one value of one case.
     *
     * @param ratio of the second median to the first.
     */
    private record Line(String label, String key, double before, double after, Interval ratio, int leastRounds)
    {
        boolean differs()
        {
            return !ratio.contains(1);
        }
    }

    private record Comparison(ResultFile first, ResultFile second, boolean isOneOfSeveral)
    {
        String name()
        {
            return first.experiment() + ", " + first.profile() + (isOneOfSeveral ? ", " + first.name() : "");
        }

        List<String> warnings()
        {
            final List<String> warnings = new ArrayList<>();
            final Map<String, String> after = facts(second);
            facts(first).forEach((name, before) ->
            {
                if (!before.equals(after.get(name)))
                {
                    warnings.add("different " + name + ": " + before + " / " + after.get(name));
                }
            });
            if (first.isScaled() || second.isScaled())
            {
                warnings.add((first.isScaled() && second.isScaled() ? "both runs are" : first.isScaled() ?
                    "the run before is" : "the run after is") + " scaled, for a quick look only");
            }
            return warnings;
        }

        private Map<String, String> facts(final ResultFile run)
        {
            final Map<String, String> facts = new LinkedHashMap<>();
            FACTS.forEach((name) -> facts.put(name, steady(run.fact(name))));
            facts.put("plan", run.header().plan());
            facts.put("scale", Unit.number(run.header().scale()));
            if (isOneOfSeveral)
            {
                facts.put("name, of several runs", run.name());
            }
            facts.replaceAll((name, fact) -> fact.isEmpty() ? "unknown" : fact);
            return facts;
        }

        /**
         * Values that both runs have.
         *
         * @param isAll include resource usage.
         */
        List<Line> lines(final boolean isAll)
        {
            return first.cases().stream().flatMap((one) -> second.cases().stream()
                .filter((other) -> other.label().equals(one.label())).flatMap((other) -> one.keys().stream()
                    .filter((key) -> isAll || first.isFinding(key) || key.matches(ResultFile.PERCENTILE))
                    .filter((key) -> other.has(key) && 0 != one.spread(key).min() && 0 != other.spread(key).min())
                    .map((key) -> line(one.label(), key, one.numbers(key), other.numbers(key)))))
                .toList();
        }

        private static Line line(final String label, final String key, final double[] ones, final double[] others)
        {
            final Interval before = Interval.of(ones);
            final Interval after = Interval.of(others);
            return new Line(
                label, key, before.median(), after.median(), after.over(before), Math.min(ones.length, others.length));
        }

        List<String> alone()
        {
            final List<String> before = first.cases().stream().map(CaseResult::label).toList();
            final List<String> after = second.cases().stream().map(CaseResult::label).toList();
            return Stream.concat(
                before.stream().filter((label) -> !after.contains(label)).map((label) -> label + ", only before"),
                after.stream().filter((label) -> !before.contains(label)).map((label) -> label + ", only after"))
                .toList();
        }
    }
}
