package io.journal.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.stream.Collectors;

import io.journal.bench.report.ClaimResult.Finding;
import io.journal.bench.report.ClaimResult.Verdict;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Interval;

import static io.journal.bench.report.ClaimResult.MIN_ROUNDS;

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
    private static final Comparator<ClaimResult> BY_WORTH =
        Comparator.comparing((ClaimResult each) -> !each.run().isScaled()).thenComparingInt(ClaimResult::caseCount)
            .thenComparingLong(ClaimResult::conclusiveCount).thenComparingInt((each) -> each.run().roundCount());

    private final List<ResultFile> runs;

    ClaimEvaluator(final List<ResultFile> runs)
    {
        this.runs = runs;
    }

    ClaimResult evaluate(final Claim claim)
    {
        return claim.profiles().stream().flatMap((profile) -> runs.stream()
            .filter((run) -> run.experiment().equals(claim.experiment()) && run.profile().equals(profile))
            .map((run) -> evaluate(claim, run)).filter((result) -> !result.findings().isEmpty())
            // The first of equals.
            .max(BY_WORTH).stream())
            .findFirst().orElse(new ClaimResult(claim, Verdict.NOT_RUN, List.of(), null, 0));
    }

    private static ClaimResult evaluate(final Claim claim, final ResultFile run)
    {
        final List<Finding> findings = new ArrayList<>();
        int caseCount = 0;
        final Map<Map<String, String>, List<CaseResult>> groups =
            Cases.by(matching(about(claim, run), claim.where()), claim.each());
        for (final Map.Entry<Map<String, String>, List<CaseResult>> group : groups.entrySet())
        {
            for (final String key : claim.keys())
            {
                final ClaimRatio ratio = ratio(claim, key, group.getValue(), null == claim.than() ? null : ratio(
                    claim, claim.than().key(), matching(about(claim, run), claim.than().where()).stream()
                        .filter((each) -> each.parameters().entrySet().containsAll(group.getKey().entrySet())).toList(),
                    null));
                if (ratio.areTwo())
                {
                    final String name = (claim.keys().size() > 1 ? Unit.of(key).strip(key) : "") +
                        (claim.keys().size() > 1 && groups.size() > 1 ? ", " : "") +
                        (groups.size() > 1 ? DisplayNames.words(group.getKey()) : "");
                    findings.add(run.isFaithful() || claim.isOfFirst() ? ofOneRun(claim, name, ratio) :
                        ofRounds(claim, name, ratio));
                    caseCount = Math.max(caseCount, ratio.caseCount());
                }
            }
        }

        return new ClaimResult(claim, verdict(claim, findings), findings, run, caseCount);
    }

    private static List<CaseResult> about(final Claim claim, final ResultFile run)
    {
        return run.cases().stream().filter((each) -> claim.names(BenchmarkCase.JVM_FLAGS) ||
            !each.parameters().containsKey(BenchmarkCase.JVM_FLAGS)).toList();
    }

    /**
     * Cases that have one of the listed values for each parameter; an exclamation mark excludes a value.
     */
    private static List<CaseResult> matching(final List<CaseResult> cases, final Map<String, List<String>> wanted)
    {
        return cases.stream().filter((each) -> wanted.entrySet().stream().allMatch((entry) ->
        {
            final String value = each.parameter(entry.getKey());
            return entry.getValue().get(0).startsWith("!") ? !entry.getValue().contains("!" + value) :
                entry.getValue().contains(value);
        })).toList();
    }

    private static ClaimRatio ratio(
        final Claim claim, final String key, final List<CaseResult> group, final ClaimRatio than)
    {
        final List<CaseResult> cases = Cases.having(group, key);
        return new ClaimRatio(claim, key, matching(cases, claim.of()), matching(cases, claim.to()), than);
    }

    private static Finding ofRounds(final Claim claim, final String group, final ClaimRatio ratio)
    {
        final double[] ratios = ratio.ofRounds();
        if (0 == ratios.length)
        {
            return nothing(group);
        }

        final Interval interval = Interval.of(ratios);
        if (ratios.length < MIN_ROUNDS)
        {
            return new Finding(
                group, Verdict.OPEN, interval, ratios.length, false, "of " + ratios.length + " " +
                    (1 == ratios.length ? "round" : "rounds") + ", too few");
        }

        final Verdict verdict = verdict(claim, interval);
        final double ofMedians = ratio.ofMedians().orElse(interval.median());
        final boolean isConfirmed = switch (verdict)
        {
            case HOLDS -> claim.admits(ofMedians);
            case FAILS -> interval.high() < claim.atLeast() ? ofMedians < claim.atLeast() : ofMedians > claim.atMost();
            default -> true;
        };
        return new Finding(
            group, isConfirmed ? verdict : Verdict.OPEN, interval, ratios.length, false,
            !isConfirmed ? "ratio of the medians of all rounds " + Unit.number(ofMedians) + "x" :
                Verdict.OPEN == verdict ? "partly outside the bounds" : "");
    }

    private static Finding ofOneRun(final Claim claim, final String group, final ClaimRatio ratio)
    {
        final OptionalDouble ofMedians = ratio.ofMedians();
        // A quantitative claim needs the interval of the passes; for a one-sided one the medians of this run suffice.
        final Interval interval = claim.isOfFirst() ? ratio.ofFirst() : ofMedians.isEmpty() ? null :
            claim.isTwoSided() ? ratio.ofUnpaired() : Interval.of(ofMedians.getAsDouble());
        if (null == interval)
        {
            return nothing(group);
        }

        final int passes = (claim.isOfFirst() ? ratio.laterRounds() : ratio.rounds()).size();
        return passes < MIN_ROUNDS ?
            new Finding(
                group, Verdict.OPEN, interval, passes, true, "of " + passes + " " + (1 == passes ? "pass" : "passes") +
                    ", too few") :
            new Finding(
                group, verdict(claim, interval), interval, passes, true, claim.isOfFirst() ?
                    "one observation, compared with " + passes + " others" :
                    "medians of " + passes + " passes" + (claim.isTwoSided() ? "" : ", no interval"));
    }

    private static Finding nothing(final String group)
    {
        return new Finding(
            group, Verdict.OPEN, null, 0, false, "no round has non-zero values of all compared cases");
    }

    private static Verdict verdict(final Claim claim, final Interval ratio)
    {
        return claim.admits(ratio.low()) && claim.admits(ratio.high()) ? Verdict.HOLDS :
            ratio.high() < claim.atLeast() || ratio.low() > claim.atMost() ? Verdict.FAILS : Verdict.OPEN;
    }

    private static Verdict verdict(final Claim claim, final List<Finding> findings)
    {
        final Set<Verdict> all = findings.stream().map(Finding::verdict).collect(Collectors.toSet());
        return all.contains(Verdict.HOLDS) && claim.isOfSome() ? Verdict.HOLDS :
            all.containsAll(Set.of(Verdict.HOLDS, Verdict.FAILS)) ? Verdict.MIXED :
                all.contains(Verdict.OPEN) ? Verdict.OPEN :
                    all.contains(Verdict.HOLDS) ? Verdict.HOLDS : Verdict.FAILS;
    }
}
