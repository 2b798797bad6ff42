package io.journal.bench.report;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.annotation.JsonProperty;
import com.fasterxml.jackson.core.type.TypeReference;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Interval;

/**
 * A statement of an article or a comment, as a ratio between two selections of cases that is computed from results.
 * <p>
 * Ratios are paired by round; the best of several cases is chosen by the other rounds, see {@link ClaimRatio}. It holds
 * if the whole confidence interval of the ratio is within its bounds and fails if none of it is, provided that the
 * ratio of the medians of all rounds agrees. Otherwise it is inconclusive.
 * <p>
 * Passes of the faithful profile are not independent rounds: all passes of a case run in one JVM, minutes apart from
 * those of another case. So there is a single ratio, of medians, without confidence, valid for this run only. If there
 * are two bounds, the interval of the passes must be inside or outside of them as a whole.
 *
 * @param id         as in the list of experiments.
 * @param says       the claim, in our words.
 * @param experiment that tests it.
 * @param profiles   that test it, the best first.
 * @param command    that measures it.
 * @param keys       values it is about, each evaluated.
 * @param where      cases it is about.
 * @param of         selection of cases in the numerator.
 * @param take       case that counts, chosen by the other rounds: best, worst, or first for its first round.
 * @param to         selection of cases in the denominator; for first: the other rounds.
 * @param toTake     case that counts, chosen by the other rounds: best or worst.
 * @param than       other cases whose ratio of the same selections is divided by: compares two gains.
 * @param each       parameters whose values are evaluated separately.
 * @param atLeast    lower bound of the ratio; 0: none.
 * @param atMost     upper bound of the ratio; 0: none. A quantitative claim has both: "within about 10 %" is 0.9 to
 *                   1/0.9, "about N times" is 0.75 N to N/0.75, "about 10 % slower" is 5 to 15 %.
 * @param isOfSome   holds if it holds in any group.
 */
record Claim(
    String id, String says, String experiment, List<String> profiles, String command, List<String> keys,
    Map<String, List<String>> where, Map<String, List<String>> of, String take, Map<String, List<String>> to,
    String toTake, Than than, List<String> each, double atLeast, double atMost,
    @JsonProperty("some") boolean isOfSome)
{
    static final int FEW_ROUNDS = 5;
    private static final Comparator<Result> BY_WORTH = Comparator
        .comparing((Result each) -> !each.run().isScaled())
        .thenComparing((each) -> each.run().roundCount() >= FEW_ROUNDS).thenComparingInt(Result::caseCount)
        .thenComparingLong(Result::conclusiveCount).thenComparingInt((each) -> each.run().roundCount());

    /** Value and cases of a second ratio, for claims that compare two gains. */
    record Than(String key, Map<String, List<String>> where)
    {
    }

    Claim
    {
        where = null == where ? Map.of() : where;
        of = null == of ? Map.of() : of;
        to = null == to ? Map.of() : to;
        each = null == each ? List.of() : each;
        take = null == take ? "best" : take;
        toTake = null == toTake ? "best" : toTake;
        atMost = 0 == atMost ? Double.MAX_VALUE : atMost;
    }

    static List<Claim> all()
    {
        return Page.json("published/claims.json", new TypeReference<>()
        {
        });
    }

    /** Whether it compares the first round with the others. */
    boolean isOfFirst()
    {
        return "first".equals(take);
    }

    boolean isTwoSided()
    {
        return atLeast > 0 && atMost < Double.MAX_VALUE;
    }

    String wanted()
    {
        final String least = shortest(atLeast);
        return Double.MAX_VALUE == atMost ? "at least " + least : 0 == atLeast ? "at most " + shortest(atMost) :
            least + " to " + shortest(atMost);
    }

    private static String shortest(final double value)
    {
        return BigDecimal.valueOf(value).stripTrailingZeros().toPlainString();
    }

    /**
     * Evaluates it against results. If there are several runs of a profile, one is chosen: a full-size one before a
     * scaled one, then one of five rounds or more, then the one with the most compared cases, then with the most
     * findings of enough rounds, then with the most rounds.
     */
    Result evaluate(final List<ResultFile> runs)
    {
        return profiles.stream().flatMap((profile) -> runs.stream()
            .filter((run) -> run.experiment().equals(experiment) && run.profile().equals(profile))
            .map(this::evaluate).filter((result) -> !result.findings().isEmpty())
            // The first of equals.
            .max(BY_WORTH).stream()).findFirst().orElse(new Result(this, Verdict.NOT_RUN, List.of(), null, 0));
    }

    private Result evaluate(final ResultFile run)
    {
        // Cases with JVM flags are excluded unless it names them.
        final List<CaseResult> cases = run.cases().stream().filter((measured) -> isAboutFlags() ||
            !measured.parameters().containsKey(BenchmarkCase.JVM_FLAGS)).toList();
        final Map<Map<String, String>, List<CaseResult>> groups = CaseResult.by(matching(cases, where), each);
        final List<Finding> findings = new ArrayList<>();
        int caseCount = 0;
        for (final Map.Entry<Map<String, String>, List<CaseResult>> group : groups.entrySet())
        {
            for (final String key : keys)
            {
                final ClaimRatio divisor = null == than ? null : ratio(
                    than.key(), matching(cases, than.where()).stream().filter((measured) -> measured.parameters()
                        .entrySet().containsAll(group.getKey().entrySet())).toList(),
                    null);
                final ClaimRatio ratio = ratio(key, group.getValue(), divisor);
                if (ratio.areTwo())
                {
                    findings.add(ratio.finding(
                        (keys.size() > 1 ? Unit.of(key).strip(key) : "") +
                            (keys.size() > 1 && groups.size() > 1 ? ", " : "") +
                            (groups.size() > 1 ? DisplayNames.words(group.getKey()) : ""),
                        run.isFaithful() || isOfFirst()));
                    caseCount = Math.max(caseCount, ratio.caseCount());
                }
            }
        }

        return new Result(this, verdict(findings), findings, run, caseCount);
    }

    private boolean isAboutFlags()
    {
        return each.contains(BenchmarkCase.JVM_FLAGS) ||
            Stream.of(where, of, to).anyMatch((selected) -> selected.containsKey(BenchmarkCase.JVM_FLAGS));
    }

    private ClaimRatio ratio(final String key, final List<CaseResult> group, final ClaimRatio divisor)
    {
        final List<CaseResult> cases = CaseResult.having(group, key);
        return new ClaimRatio(this, key, matching(cases, of), matching(cases, to), divisor);
    }

    /** Cases that have one of the listed values for each parameter; an exclamation mark excludes a value. */
    private static List<CaseResult> matching(final List<CaseResult> cases, final Map<String, List<String>> wanted)
    {
        return cases.stream().filter((measured) -> wanted.entrySet().stream().allMatch((entry) ->
        {
            final String value = measured.parameter(entry.getKey());
            return entry.getValue().get(0).startsWith("!") ? !entry.getValue().contains("!" + value) :
                entry.getValue().contains(value);
        })).toList();
    }

    private Verdict verdict(final List<Finding> findings)
    {
        final Set<Verdict> all = findings.stream().map(Finding::verdict).collect(Collectors.toSet());
        return all.contains(Verdict.HOLDS) && isOfSome ? Verdict.HOLDS :
            all.containsAll(Set.of(Verdict.HOLDS, Verdict.FAILS)) ? Verdict.MIXED :
                all.contains(Verdict.OPEN) ? Verdict.OPEN :
                    all.contains(Verdict.HOLDS) ? Verdict.HOLDS : Verdict.FAILS;
    }

    /** Whether a ratio holds, fails, or neither, by its interval. */
    Verdict verdict(final Interval ratio)
    {
        return side(ratio.low()) != side(ratio.high()) ? Verdict.OPEN :
            0 == side(ratio.low()) ? Verdict.HOLDS : Verdict.FAILS;
    }

    /** Whether a ratio is below the bounds, -1, within them, 0, or above them, 1. */
    int side(final double ratio)
    {
        return ratio < atLeast ? -1 : ratio > atMost ? 1 : 0;
    }

    enum Verdict
    {
        HOLDS("holds here", "hold here"),
        FAILS("does not hold here", "do not hold"),
        MIXED("holds in part here", "hold in part"),
        OPEN("inconclusive here", "are inconclusive"),
        NOT_RUN("not run here", "were not run");

        private final String words;
        private final String plural;

        Verdict(final String words, final String plural)
        {
            this.words = words;
            this.plural = plural;
        }

        static Map<Verdict, String> counts(final List<Result> results)
        {
            final Map<Verdict, String> counts = new EnumMap<>(Verdict.class);
            results.stream().collect(Collectors.groupingBy(Result::verdict, Collectors.counting())).forEach(
                (verdict, count) -> counts.put(verdict, count + " " + (1 == count ? verdict.words : verdict.plural)));
            return counts;
        }
    }

    /**
     * Result for one group of cases, in words.
     *
     * @param rounds     or passes.
     * @param isOfOneRun whose passes are not independent rounds.
     */
    record Finding(Verdict verdict, int rounds, boolean isOfOneRun, String words)
    {
    }

    /**
     * Result of a claim on this machine.
     *
     * @param findings  one per group of cases.
     * @param run       they were computed from; null if there is none.
     * @param caseCount largest number of cases compared with each other.
     */
    record Result(Claim claim, Verdict verdict, List<Finding> findings, ResultFile run, int caseCount)
    {
        /** Whether it rests on a single run: a faithful one, or a first pass. */
        boolean isOfOneRun()
        {
            return findings.stream().anyMatch(Finding::isOfOneRun);
        }

        /** Whether it rests on few rounds: weak evidence, drawn pale. */
        boolean isWeak()
        {
            return findings.stream().anyMatch((finding) -> finding.rounds() < FEW_ROUNDS);
        }

        long conclusiveCount()
        {
            return findings.stream().filter((finding) -> finding.rounds() >= ClaimRatio.MIN_ROUNDS).count();
        }

        /** The finding if there is only one, else the verdict. */
        String summary()
        {
            return 1 == findings.size() ? findings.get(0).words() :
                verdict.words + (isOfOneRun() ? ", in one run" : "");
        }

        List<String> details()
        {
            return findings.stream().map(Finding::words).filter((words) -> findings.size() > 1).toList();
        }
    }
}
