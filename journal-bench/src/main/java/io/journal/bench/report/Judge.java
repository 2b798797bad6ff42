package io.journal.bench.report;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeSet;

import io.journal.bench.report.Judgement.Finding;
import io.journal.bench.report.Judgement.Verdict;

/**
 * Lays claims beside results. Ratios are taken within a round; a claim holds if all of the interval that encloses the
 * true ratio is where the claim says, and does not if none of it is.
 */
final class Judge
{
    private static final int LEAST_ROUNDS = 3;

    private final List<ResultFile> runs;

    Judge(final List<ResultFile> runs)
    {
        this.runs = runs;
    }

    List<Judgement> judge(final List<Claim> claims)
    {
        return claims.stream().map(this::judge).toList();
    }

    Judgement judge(final Claim claim)
    {
        for (final String profile : claim.profiles())
        {
            for (final ResultFile run : runs)
            {
                if (run.experiment().equals(claim.experiment()) && run.profile().equals(profile))
                {
                    final List<Finding> findings = findings(claim, run);
                    if (!findings.isEmpty())
                    {
                        return new Judgement(claim, verdict(claim, findings), findings, run);
                    }
                }
            }
        }

        return new Judgement(claim, Verdict.NOT_RUN, List.of(), null);
    }

    private static List<Finding> findings(final Claim claim, final ResultFile run)
    {
        final List<Measured> about =
            run.cases().stream().filter((each) -> matches(each, claim.where())).toList();
        final List<Finding> findings = new ArrayList<>();
        final Map<Map<String, String>, List<Measured>> groups =
            Cases.by(about, claim.each().toArray(String[]::new));
        for (final Map.Entry<Map<String, String>, List<Measured>> group : groups.entrySet())
        {
            for (final String key : claim.keys())
            {
                final List<Measured> cases = group.getValue().stream().filter((each) -> each.has(key)).toList();
                final List<Measured> of = cases.stream().filter((each) -> matches(each, claim.of())).toList();
                final List<Measured> to = cases.stream().filter((each) -> matches(each, claim.to())).toList();
                if (!of.isEmpty() && !to.isEmpty())
                {
                    final String name = (claim.keys().size() > 1 ? Unit.of(key).strip(key) : "") +
                        (claim.keys().size() > 1 && groups.size() > 1 ? ", " : "") +
                        (groups.size() > 1 ? Names.words(group.getKey()) : "");
                    findings.add(finding(claim, name, ratios(claim, key, of, to)));
                }
            }
        }

        return findings;
    }

    private static Finding finding(final Claim claim, final String group, final double[] ratios)
    {
        if (0 == ratios.length)
        {
            return new Finding(group, Verdict.OPEN, null, 0, "no round has all that is compared, other than zero");
        }

        final Interval interval = Interval.of(ratios);
        if (ratios.length < LEAST_ROUNDS)
        {
            return new Finding(
                group, Verdict.OPEN, interval, ratios.length, "of " + ratios.length + " rounds, too few");
        }

        final Verdict verdict = interval.low() >= claim.atLeast() && interval.high() <= claim.atMost() ?
            Verdict.HOLDS :
            interval.high() < claim.atLeast() || interval.low() > claim.atMost() ? Verdict.FAILS : Verdict.OPEN;
        return new Finding(group, verdict, interval, ratios.length, "");
    }

    /**
     * How often as fast, round by round.
     */
    private static double[] ratios(
        final Claim claim, final String key, final List<Measured> of, final List<Measured> to)
    {
        final boolean isMoreBetter = Unit.of(key).isMoreBetter();
        final List<Double> ratios = new ArrayList<>();
        final boolean isFirst = "first".equals(claim.take());
        for (final int round : new TreeSet<>(of.get(0).rounds().keySet()))
        {
            final OptionalDouble one = isFirst ? of.get(0).number(1, key) :
                chosen(of, round, key, "best".equals(claim.take()) == isMoreBetter);
            final OptionalDouble other = chosen(to, round, key, "best".equals(claim.toTake()) == isMoreBetter);
            // The first round is not one of the others.
            if (one.isPresent() && other.isPresent() && one.getAsDouble() > 0 && other.getAsDouble() > 0 &&
                !(isFirst && 1 == round))
            {
                final double ratio = one.getAsDouble() / other.getAsDouble();
                ratios.add(isMoreBetter ? ratio : 1 / ratio);
            }
        }

        return ratios.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /**
     * The largest or smallest of a round, if all were measured in it.
     */
    private static OptionalDouble chosen(
        final List<Measured> cases, final int round, final String key, final boolean isLargest)
    {
        double chosen = Double.NaN;
        for (final Measured each : cases)
        {
            final OptionalDouble value = each.number(round, key);
            if (value.isEmpty())
            {
                return OptionalDouble.empty();
            }
            if (Double.isNaN(chosen) || isLargest == value.getAsDouble() > chosen)
            {
                chosen = value.getAsDouble();
            }
        }

        return OptionalDouble.of(chosen);
    }

    private static Verdict verdict(final Claim claim, final List<Finding> findings)
    {
        final boolean holds = findings.stream().anyMatch((finding) -> Verdict.HOLDS == finding.verdict());
        final boolean fails = findings.stream().anyMatch((finding) -> Verdict.FAILS == finding.verdict());
        final boolean isOpen = findings.stream().anyMatch((finding) -> Verdict.OPEN == finding.verdict());
        if (claim.isOfSome())
        {
            return holds ? Verdict.HOLDS : isOpen ? Verdict.OPEN : Verdict.FAILS;
        }

        return holds && fails ? Verdict.MIXED : isOpen ? Verdict.OPEN : holds ? Verdict.HOLDS : Verdict.FAILS;
    }

    /**
     * Whether a case has one of the values named for each parameter; a value behind an exclamation mark is not to be.
     */
    private static boolean matches(final Measured measured, final Map<String, List<String>> wanted)
    {
        for (final Map.Entry<String, List<String>> entry : wanted.entrySet())
        {
            final String value = measured.parameters().getOrDefault(entry.getKey(), "");
            final boolean isExcluding = entry.getValue().get(0).startsWith("!");
            if (isExcluding ? entry.getValue().contains("!" + value) : !entry.getValue().contains(value))
            {
                return false;
            }
        }

        return true;
    }
}
