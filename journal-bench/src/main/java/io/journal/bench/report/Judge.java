package io.journal.bench.report;

import io.journal.bench.run.Interval;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

import io.journal.bench.report.Judgement.Finding;
import io.journal.bench.report.Judgement.Verdict;
import io.journal.bench.run.Subject;

/**
 * Lays claims beside results. Ratios are taken within a round, and where the best of several cases counts it is chosen
 * by the other rounds, see {@link Operands}. A claim holds if all of the interval that encloses the true ratio is where
 * the claim says, and does not if none of it is; the ratio of the medians of all rounds has to confirm it. Otherwise
 * the rounds are too noisy to tell.
 * <p>
 * Passes of the faithful profile are no such rounds: those of one case follow each other in one JVM, minutes from those
 * of another. So there is one ratio, of medians, and no confidence; what it says is said of this one run. Where a claim
 * has bounds on both operands, the range that the passes leave open has to be inside or outside of them as a whole.
 * <p>
 * Cases with flags of the JVM are left out unless the claim names them. Of several runs of a profile one is asked: a
 * whole one before a scaled one, then the one that compares the most cases with each other, then with the most findings
 * of enough rounds, then with the most rounds.
 */
final class Judge
{
    /** Fewer tell nothing. */
    static final int LEAST_ROUNDS = 3;

    private static final Comparator<Candidate> BY_WORTH =
        Comparator.comparing((Candidate each) -> !each.run().isScaled())
            .thenComparingInt(Candidate::caseCount).thenComparingLong(Candidate::toldCount)
            .thenComparingInt((each) -> each.run().roundCount());

    private final List<ResultFile> runs;

    Judge(final List<ResultFile> runs)
    {
        this.runs = runs;
    }

    /**
     * A run that a claim could be judged by.
     *
     * @param caseCount that are compared with each other, at most.
     */
    private record Candidate(ResultFile run, List<Finding> findings, int caseCount)
    {
        long toldCount()
        {
            return findings.stream().filter((finding) -> finding.rounds() >= LEAST_ROUNDS).count();
        }
    }

    List<Judgement> judge(final List<Claim> claims)
    {
        return claims.stream().map(this::judge).toList();
    }

    Judgement judge(final Claim claim)
    {
        for (final String profile : claim.profiles())
        {
            Candidate best = null;
            for (final ResultFile run : runs)
            {
                if (run.experiment().equals(claim.experiment()) && run.profile().equals(profile))
                {
                    final Candidate candidate = candidate(claim, run);
                    // Of equals the first.
                    if (!candidate.findings().isEmpty() && (null == best || BY_WORTH.compare(candidate, best) > 0))
                    {
                        best = candidate;
                    }
                }
            }
            if (null != best)
            {
                return new Judgement(claim, verdict(claim, best.findings()), best.findings(), best.run());
            }
        }

        return new Judgement(claim, Verdict.NOT_RUN, List.of(), null);
    }

    private static Candidate candidate(final Claim claim, final ResultFile run)
    {
        final List<Measured> about = about(claim, run, claim.where());
        final List<Finding> findings = new ArrayList<>();
        int caseCount = 0;
        final Map<Map<String, String>, List<Measured>> groups =
            Cases.by(about, claim.each().toArray(String[]::new));
        for (final Map.Entry<Map<String, String>, List<Measured>> group : groups.entrySet())
        {
            for (final String key : claim.keys())
            {
                final Operands operands = operands(claim, key, group.getValue());
                if (null != claim.than())
                {
                    final List<Measured> others = about(claim, run, claim.than().where()).stream()
                        .filter((each) -> matches(each, only(group.getKey()))).toList();
                    operands.than(operands(claim, claim.than().key(), others));
                }
                if (operands.areTwo())
                {
                    final String name = (claim.keys().size() > 1 ? Unit.of(key).strip(key) : "") +
                        (claim.keys().size() > 1 && groups.size() > 1 ? ", " : "") +
                        (groups.size() > 1 ? Names.words(group.getKey()) : "");
                    findings.add("faithful".equals(run.profile()) || claim.isOfFirst() ?
                        ofOneRun(claim, name, operands) : ofRounds(claim, name, operands));
                    caseCount = Math.max(caseCount, operands.caseCount());
                }
            }
        }

        return new Candidate(run, findings, caseCount);
    }

    private static List<Measured> about(
        final Claim claim, final ResultFile run, final Map<String, List<String>> where)
    {
        return run.cases().stream()
            .filter((each) -> claim.names(Subject.JVM_FLAGS) || !each.parameters().containsKey(Subject.JVM_FLAGS))
            .filter((each) -> matches(each, where)).toList();
    }

    private static Operands operands(final Claim claim, final String key, final List<Measured> group)
    {
        final List<Measured> cases = Cases.having(group, key);
        return new Operands(
            claim, key, cases.stream().filter((each) -> matches(each, claim.of())).toList(),
            cases.stream().filter((each) -> matches(each, claim.to())).toList());
    }

    private static Map<String, List<String>> only(final Map<String, String> values)
    {
        return values.entrySet().stream()
            .collect(Collectors.toMap(Map.Entry::getKey, (each) -> List.of(each.getValue())));
    }

    private static Finding ofRounds(final Claim claim, final String group, final Operands operands)
    {
        final double[] ratios = operands.ratios();
        if (0 == ratios.length)
        {
            return nothing(group);
        }

        final Interval interval = Interval.of(ratios);
        if (ratios.length < LEAST_ROUNDS)
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
                group, Verdict.OPEN, interval, ratios.length, false, "by the medians of all rounds " +
                    Unit.number(ofMedians) + "x");
    }

    private static Finding ofOneRun(final Claim claim, final String group, final Operands operands)
    {
        final OptionalDouble ofMedians = operands.ofMedians();
        final Interval ofFirst = claim.isOfFirst() ? operands.ofFirst() : null;
        if (claim.isOfFirst() ? null == ofFirst : ofMedians.isEmpty())
        {
            return nothing(group);
        }

        // Where how much is claimed, what the passes leave open decides as well; else a side is said of this one run.
        final Interval ratio = claim.isOfFirst() ? ofFirst :
            claim.isTwoSided() ? operands.ofUnpaired() : Interval.of(ofMedians.getAsDouble());
        final int passes = (claim.isOfFirst() ? operands.othersThanFirst() : operands.rounds()).size();
        return passes < LEAST_ROUNDS ?
            new Finding(group, Verdict.OPEN, ratio, passes, true, tooFew(passes, "pass")) :
            new Finding(
                group, verdict(claim, ratio), ratio, passes, true, claim.isOfFirst() ?
                    "one observation beside " + passes + " others" :
                    "medians of " + passes + " passes" + (claim.isTwoSided() ? "" : ", no interval"));
    }

    private static Finding nothing(final String group)
    {
        return new Finding(
            group, Verdict.OPEN, null, 0, false, "no round has all that is compared, other than zero");
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
