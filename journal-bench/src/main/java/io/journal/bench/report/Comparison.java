package io.journal.bench.report;

import io.journal.bench.run.Interval;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares two runs of one experiment and profile.
 */
final class Comparison
{
    private static final List<String> FACTS = List.of(
        "CPU", "memory", "JDK", "JVM flags", "kernel", "file system", "disk", "commit");

    private final ResultFile first;
    private final ResultFile second;
    private final boolean isOneOfSeveral;

    private Comparison(final ResultFile first, final ResultFile second, final boolean isOneOfSeveral)
    {
        this.first = first;
        this.second = second;
        this.isOneOfSeveral = isOneOfSeveral;
    }

    /**
     * Comparison of one value of one case.
     *
     * @param ratio of the second median to the first.
     */
    record Line(String label, String key, double before, double after, Interval ratio, int leastRounds)
    {
        boolean differs()
        {
            return !ratio.contains(1);
        }

        String words()
        {
            return !differs() ? "no significant " +
                "difference" :
                leastRounds < 3 ? "differs, but too few rounds" :
                    "differs";
        }
    }

    /**
     * All pairs of runs with the same experiment and profile; if there are several, those of the same name.
     */
    static List<Comparison> of(final List<ResultFile> first, final List<ResultFile> second)
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

    String name()
    {
        return first.experiment() + ", " + first.profile() + (isOneOfSeveral ? ", " + first.name() : "");
    }

    /**
     * Differences that make them hard to compare.
     */
    List<String> warnings()
    {
        final List<String> warnings = new ArrayList<>();
        for (final String fact : FACTS)
        {
            different(fact, steady(first.fact(fact)), steady(second.fact(fact)), warnings);
        }
        different("plan", first.plan(), second.plan(), warnings);
        different("scale", Unit.number(first.scale()), Unit.number(second.scale()), warnings);
        if (isOneOfSeveral)
        {
            different("name, of several runs", first.name(), second.name(), warnings);
        }
        if (first.isScaled() || second.isScaled())
        {
            warnings.add((first.isScaled() && second.isScaled() ? "both runs are" : first.isScaled() ?
                "the run before is" : "the run after is") + " scaled, for a quick look only");
        }
        return warnings;
    }

    /**
     * Values that both runs have.
     *
     * @param isAll include resource usage.
     */
    List<Line> lines(final boolean isAll)
    {
        final Map<String, CaseResult> others = byLabel(second);
        final List<Line> lines = new ArrayList<>();
        for (final CaseResult one : first.cases())
        {
            final CaseResult other = others.get(one.label());
            if (null == other)
            {
                continue;
            }
            for (final String key : one.keys().stream().sorted().toList())
            {
                final boolean isWanted = isAll || Charts.isFinding(first, key) || key.matches("p\\d+Us|maxUs");
                if (isWanted && other.has(key) && 0 != one.spread(key).min() && 0 != other.spread(key).min())
                {
                    final Interval before = Interval.of(one.numbers(key));
                    final Interval after = Interval.of(other.numbers(key));
                    lines.add(new Line(
                        one.label(), key, before.median(), after.median(), after.over(before),
                        Math.min(one.numbers(key).length, other.numbers(key).length)));
                }
            }
        }

        return lines;
    }

    /**
     * Cases that only one of the runs has.
     */
    List<String> alone()
    {
        final List<String> alone = new ArrayList<>();
        final Map<String, CaseResult> before = byLabel(first);
        final Map<String, CaseResult> after = byLabel(second);
        before.keySet().stream().filter((label) -> !after.containsKey(label))
            .forEach((label) -> alone.add(label + ", only before"));
        after.keySet().stream().filter((label) -> !before.containsKey(label))
            .forEach((label) -> alone.add(label + ", only after"));
        return alone;
    }

    private static List<ResultFile> sameKind(final List<ResultFile> runs, final ResultFile one)
    {
        return runs.stream().filter((each) -> each.experiment().equals(one.experiment()) &&
            each.profile().equals(one.profile())).toList();
    }

    private static void different(
        final String what, final String before, final String after, final List<String> warnings)
    {
        if (!before.equals(after))
        {
            warnings.add("different " + what + ": " + orUnknown(before) + " / " + orUnknown(after));
        }
    }

    private static String orUnknown(final String fact)
    {
        return fact.isEmpty() ? "unknown" : fact;
    }

    /**
     * A fact without its volatile parts.
     */
    static String steady(final String fact)
    {
        return fact.replaceAll(", [\\d?]+ MiB available", "").replaceAll(", [\\d,]+ MB free", "");
    }

    private static Map<String, CaseResult> byLabel(final ResultFile run)
    {
        final Map<String, CaseResult> byLabel = new LinkedHashMap<>();
        run.cases().forEach((each) -> byLabel.put(each.label(), each));
        return byLabel;
    }
}
