package io.journal.bench.report;

import io.journal.bench.run.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

import io.journal.bench.report.ClaimResult.Finding;
import io.journal.bench.report.ClaimResult.Verdict;
import io.journal.bench.run.BenchmarkCase;

/**
 * Evaluates claims against results. Ratios are paired by round; the best of several cases is chosen by the other
 * rounds, see {@link ClaimRatio}. A claim holds if the whole confidence interval of the ratio is within its bounds and
 * fails if none of it is, provided that the ratio of the medians of all rounds agrees. Otherwise it is inconclusive.
 * <p>
 * Passes of the faithful profile are not independent rounds: all passes of a case run in one JVM, minutes apart from
 * those of another case. So there is a single ratio, of medians, without confidence, valid for this run only. If a
 * claim has two bounds, the interval of the passes must be inside or outside of them as a whole.
 * <p>
 * Cases with JVM flags are excluded unless the claim names them. If there are several runs of a profile, one is chosen:
 * a full-size one before a scaled one, then the one with the most compared cases, then with the most findings of enough
 * rounds, then with the most rounds.
 */
final class ClaimEvaluator
{
    /** Fewer rounds are inconclusive. */
    static final int MIN_ROUNDS = 3;

    private static final Comparator<Candidate> BY_WORTH =
        Comparator.comparing((Candidate each) -> !each.run().isScaled())
            .thenComparingInt(Candidate::caseCount).thenComparingLong(Candidate::conclusiveCount)
            .thenComparingInt((each) -> each.run().roundCount());

    private final List<ResultFile> runs;

    ClaimEvaluator(final List<ResultFile> runs)
    {
        this.runs = runs;
    }

    /**
     * A run from which a claim could be evaluated.
     *
     * @param caseCount largest number of cases compared with each other.
     */
    private record Candidate(ResultFile run, List<Finding> findings, int caseCount)
    {
        long conclusiveCount()
        {
            return findings.stream().filter((finding) -> finding.rounds() >= MIN_ROUNDS).count();
        }
    }

    List<ClaimResult> evaluate(final List<Claim> claims)
    {
        return claims.stream().map(this::evaluate).toList();
    }

    ClaimResult evaluate(final Claim claim)
    {
        for (final String profile : claim.profiles())
        {
            Candidate best = null;
            for (final ResultFile run : runs)
            {
                if (run.experiment().equals(claim.experiment()) && run.profile().equals(profile))
                {
                    final Candidate candidate = candidate(claim, run);
                    // The first of equal candidates.
                    if (!candidate.findings().isEmpty() && (null == best || BY_WORTH.compare(candidate, best) > 0))
                    {
                        best = candidate;
                    }
                }
            }
            if (null != best)
            {
                return new ClaimResult(claim, verdict(claim, best.findings()), best.findings(), best.run());
            }
        }

        return new ClaimResult(claim, Verdict.NOT_RUN, List.of(), null);
    }

    private static Candidate candidate(final Claim claim, final ResultFile run)
    {
        final List<CaseResult> about = about(claim, run, claim.where());
        final List<Finding> findings = new ArrayList<>();
        int caseCount = 0;
        final Map<Map<String, String>, List<CaseResult>> groups =
            Cases.by(about, claim.each().toArray(String[]::new));
        for (final Map.Entry<Map<String, String>, List<CaseResult>> group : groups.entrySet())
        {
            for (final String key : claim.keys())
            {
                final ClaimRatio operands = operands(claim, key, group.getValue());
                if (null != claim.than())
                {
                    final List<CaseResult> others = about(claim, run, claim.than().where()).stream()
                        .filter((each) -> matches(each, only(group.getKey()))).toList();
                    operands.than(operands(claim, claim.than().key(), others));
                }
                if (operands.areTwo())
                {
                    final String name = (claim.keys().size() > 1 ? Unit.of(key).strip(key) : "") +
                        (claim.keys().size() > 1 && groups.size() > 1 ? ", " : "") +
                        (groups.size() > 1 ? DisplayNames.words(group.getKey()) : "");
                    findings.add("faithful".equals(run.profile()) || claim.isOfFirst() ?
                        ofOneRun(claim, name, operands) : ofRounds(claim, name, operands));
                    caseCount = Math.max(caseCount, operands.caseCount());
                }
            }
        }

        return new Candidate(run, findings, caseCount);
    }

    private static List<CaseResult> about(
        final Claim claim, final ResultFile run, final Map<String, List<String>> where)
    {
        return run.cases().stream()
            .filter((each) -> claim.names(BenchmarkCase.JVM_FLAGS) ||
                !each.parameters().containsKey(BenchmarkCase.JVM_FLAGS))
            .filter((each) -> matches(each, where)).toList();
    }

    private static ClaimRatio operands(final Claim claim, final String key, final List<CaseResult> group)
    {
        final List<CaseResult> cases = Cases.having(group, key);
        return new ClaimRatio(
            claim, key, cases.stream().filter((each) -> matches(each, claim.of())).toList(),
            cases.stream().filter((each) -> matches(each, claim.to())).toList());
    }

    private static Map<String, List<String>> only(final Map<String, String> values)
    {
        return values.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, (each) -> List.of(each.getValue())));
    }

    private static Finding ofRounds(final Claim claim, final String group, final ClaimRatio operands)
    {
        final double[] ratios = operands.ratios();
        if (0 == ratios.length)
        {
            return nothing(group);
        }

        final Interval interval = Interval.of(ratios);
        if (ratios.length < MIN_ROUNDS)
        {
            return new Finding(group, Verdict.OPEN, interval, ratios.length, false, tooFew(ratios.length, "round"));
        }

        final Verdict verdict = verdict(claim, interval);
        final double ofMedians = operands.ofMedians().orElse(interval.median());
        final boolean isConfirmed = switch (verdict)
        {
            case HOLDS -> claim.admits(ofMedians);
            case FAILS -> interval.high() < claim.atLeast() ? ofMedians < claim.atLeast() : ofMedians > claim.atMost();
            default -> true;
        };
        return isConfirmed ?
            new Finding(group, verdict, interval, ratios.length, false, "") :
            new Finding(
                group, Verdict.OPEN, interval, ratios.length, false, "ratio of the medians of all rounds " +
                    Unit.number(ofMedians) + "x");
    }

    private static Finding ofOneRun(final Claim claim, final String group, final ClaimRatio operands)
    {
        final OptionalDouble ofMedians = operands.ofMedians();
        final Interval ofFirst = claim.isOfFirst() ? operands.ofFirst() : null;
        if (claim.isOfFirst() ? null == ofFirst : ofMedians.isEmpty())
        {
            return nothing(group);
        }

        // A quantitative claim needs the interval of the passes; for a one-sided one the medians of this run suffice.
        final Interval ratio = claim.isOfFirst() ? ofFirst :
            claim.isTwoSided() ? operands.ofUnpaired() : Interval.of(ofMedians.getAsDouble());
        final int passes = (claim.isOfFirst() ? operands.othersThanFirst() : operands.rounds()).size();
        return passes < MIN_ROUNDS ?
            new Finding(group, Verdict.OPEN, ratio, passes, true, tooFew(passes, "pass")) :
            new Finding(
                group, verdict(claim, ratio), ratio, passes, true, claim.isOfFirst() ?
                    "one observation, compared with " + passes + " others" :
                    "medians of " + passes + " passes" + (claim.isTwoSided() ? "" : ", no interval"));
    }

    private static Finding nothing(final String group)
    {
        return new Finding(
            group, Verdict.OPEN, null, 0, false, "no round has non-zero values of all compared cases");
    }

    private static String tooFew(final int count, final String what)
    {
        return "of " + count + " " + what + (1 == count ? "" : "pass".equals(what) ? "es" : "s") + ", too few";
    }

    private static Verdict verdict(final Claim claim, final Interval ratio)
    {
        return claim.admits(ratio.low()) && claim.admits(ratio.high()) ? Verdict.HOLDS :
            ratio.high() < claim.atLeast() || ratio.low() > claim.atMost() ? Verdict.FAILS : Verdict.OPEN;
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
     * Whether a case has one of the listed values for each parameter; an exclamation mark excludes a value.
     */
    private static boolean matches(final CaseResult measured, final Map<String, List<String>> wanted)
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
