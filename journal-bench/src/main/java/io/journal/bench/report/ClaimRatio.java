package io.journal.bench.report;

import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import io.journal.bench.report.Claim.Finding;
import io.journal.bench.report.Claim.Verdict;
import io.journal.bench.run.Interval;
import io.journal.bench.run.Spread;

/**
 * The ratio of the two selections of cases that a claim compares, over the rounds in which all of them were measured.
 * <p>
 * The best of several cases is chosen for each round by the medians of the other rounds (leave-one-out): choosing by
 * the round itself would favour luck, the more so the more cases there are. A bias remains, since one case is chosen
 * for most rounds: equal cases are found different two to three times as often as the confidence allows.
 *
 * @param than another ratio over the same rounds, by which this one is divided; null if there is none.
 */
record ClaimRatio(Claim claim, String key, List<CaseResult> of, List<CaseResult> to, ClaimRatio than)
{
    /** Fewer rounds are inconclusive. */
    static final int MIN_ROUNDS = 3;

    private static final int FIRST = 1;
    private static final int NONE = -1;

    boolean areTwo()
    {
        final boolean isSame = of.equals(to) && (1 == of.size() || claim.take().equals(claim.toTake()));
        return !of.isEmpty() && !to.isEmpty() && (!isSame || claim.isOfFirst()) &&
            (null == than || than.areTwo() && rounds().equals(than.rounds()));
    }

    int caseCount()
    {
        return (int)Stream.concat(of.stream(), to.stream()).distinct().count();
    }

    /** Rounds in which all cases were measured. */
    private List<Integer> rounds()
    {
        return of.get(0).rounds().keySet().stream().filter((round) -> Stream.concat(of.stream(), to.stream())
            .allMatch((each) -> each.number(round, key).isPresent())).toList();
    }

    private List<Integer> laterRounds()
    {
        return rounds().stream().filter((round) -> FIRST != round).toList();
    }

    /**
     * Whether the claim holds for these cases, and by how much.
     *
     * @param isOfOneRun whose passes are not independent rounds, so there is no confidence.
     */
    Finding finding(final String group, final boolean isOfOneRun)
    {
        final String prefix = group.isEmpty() ? "" : group + ": ";
        final double[] ratios = ofRounds().values().stream().mapToDouble(Double::doubleValue).toArray();
        final OptionalDouble ofMedians = ofMedians();
        final int count = claim.isOfFirst() ? laterRounds().size() : isOfOneRun ? rounds().size() : ratios.length;
        // A quantitative claim needs the interval of the passes; for a one-sided one the medians of this run suffice.
        final Interval interval = claim.isOfFirst() ? ofFirst() :
            isOfOneRun && ofMedians.isEmpty() || 0 == count ? null :
                !isOfOneRun ? Interval.of(ratios) :
                    claim.isTwoSided() ? ofUnpaired() : Interval.of(ofMedians.getAsDouble());
        if (null == interval)
        {
            return new Finding(
                Verdict.OPEN, 0, false, prefix + "inconclusive: no round has non-zero values of all compared cases");
        }

        final String times = Unit.number(interval.median()) + "x" +
            (isOfOneRun && interval.low() == interval.high() ? "" :
                " [" + Unit.number(interval.low()) + ".." + Unit.number(interval.high()) + "]");
        if (count < MIN_ROUNDS)
        {
            return new Finding(
                Verdict.OPEN, count, isOfOneRun, prefix + "inconclusive: " + times + "; of " + count +
                    (isOfOneRun ? 1 == count ? " pass" : " passes" : 1 == count ? " round" : " rounds") + ", too few");
        }

        final Verdict own = claim.verdict(interval);
        final double all = ofMedians.orElse(interval.median());
        final boolean isRefuted =
            !isOfOneRun && Verdict.OPEN != own && claim.side(all) != claim.side(interval.median());
        final Verdict verdict = isRefuted ? Verdict.OPEN : own;
        final String where = isOfOneRun ? " in this one run" : " here";
        final String words = switch (verdict)
        {
            case HOLDS -> "holds" + where + (isOfOneRun ? ": " : ", by ");
            case FAILS -> "does not hold" + where + ": ";
            default -> "inconclusive" + (isOfOneRun ? where : "") + ", too noisy: ";
        };
        final String basis = claim.isOfFirst() ? "; one observation, compared with " + count + " others" :
            isOfOneRun ? "; medians of " + count + " passes" + (claim.isTwoSided() ? "" : ", no interval") :
                String.format(Locale.ROOT, ", %.0f %%", 100 * interval.confidence()) + (isRefuted ?
                    ", ratio of the medians of all rounds " + Unit.number(all) + "x" :
                    Verdict.OPEN == verdict ? ", partly outside the bounds" : "");
        return new Finding(verdict, count, isOfOneRun, prefix + words + times + basis);
    }

    /** The ratios by round, of the rounds with non-zero values of all compared cases. */
    private Map<Integer, Double> ofRounds()
    {
        final List<Integer> rounds = rounds();
        final double[] ones = chosenByOthers(of, claim.take());
        final double[] others = chosenByOthers(to, claim.toTake());
        final Map<Integer, Double> divisors = null == than ? Map.of() : than.ofRounds();
        final Map<Integer, Double> ratios = new LinkedHashMap<>();
        for (int i = 0; i < ones.length; i++)
        {
            final int round = rounds.get(i);
            if (ones[i] > 0 && others[i] > 0 && (null == than || divisors.containsKey(round)))
            {
                ratios.put(round, ratio(ones[i], others[i]) / divisors.getOrDefault(round, 1.0));
            }
        }
        return ratios;
    }

    /**
     * Ratio of the medians over all rounds of the cases that count; empty if one is zero. Without leave-one-out, so
     * selection by noise is visible: the worst of many equal cases is slower than the best.
     */
    private OptionalDouble ofMedians()
    {
        final List<Integer> rounds = rounds();
        if (rounds.isEmpty())
        {
            return OptionalDouble.empty();
        }

        final double one = Spread.of(chosen(of, rounds, claim.take())).median();
        final double other = Spread.of(chosen(to, rounds, claim.toTake())).median();
        final OptionalDouble divisor = null == than ? OptionalDouble.of(1) : than.ofMedians();
        return one > 0 && other > 0 && divisor.isPresent() ?
            OptionalDouble.of(ratio(one, other) / divisor.getAsDouble()) : OptionalDouble.empty();
    }

    /** The same as an interval, for unpaired rounds. */
    private Interval ofUnpaired()
    {
        final Interval ones = Interval.of(chosen(of, rounds(), claim.take()));
        final Interval others = Interval.of(chosen(to, rounds(), claim.toTake()));
        final Interval own = Unit.of(key).isHigherBetter ? ones.over(others) : others.over(ones);
        return null == than ? own : own.over(than.ofUnpaired());
    }

    /** Ratio of the first round to the later ones; null if there is none, or one is zero. */
    private Interval ofFirst()
    {
        final double first = of.get(0).number(FIRST, key).orElse(0);
        final List<Integer> later = laterRounds();
        final double[] others = later.isEmpty() ? new double[]{ 0 } : chosen(to, later, claim.toTake());
        return !(first > 0) || Arrays.stream(others).anyMatch((other) -> !(other > 0)) ? null :
            Unit.of(key).isHigherBetter ? Interval.ofOne(first, others) :
                Interval.ofOne(1 / first, Arrays.stream(others).map((other) -> 1 / other).toArray());
    }

    private double ratio(final double one, final double other)
    {
        return Unit.of(key).isHigherBetter ? one / other : other / one;
    }

    /** For each round, the value of the case that counts by the medians of the other rounds. */
    private double[] chosenByOthers(final List<CaseResult> cases, final String take)
    {
        final List<double[]> values = values(cases, rounds());
        return IntStream.range(0, rounds().size()).mapToDouble((i) -> chosen(values, take, i)[i]).toArray();
    }

    /** Values of the case that counts by the medians of these rounds. */
    private double[] chosen(final List<CaseResult> cases, final List<Integer> rounds, final String take)
    {
        return chosen(values(cases, rounds), take, NONE);
    }

    private List<double[]> values(final List<CaseResult> cases, final List<Integer> rounds)
    {
        return cases.stream().map((each) -> rounds.stream()
            .mapToDouble((round) -> each.number(round, key).orElseThrow()).toArray()).toList();
    }

    private double[] chosen(final List<double[]> values, final String take, final int without)
    {
        final Comparator<double[]> order = Comparator.comparingDouble((each) -> median(each, without));
        return ("best".equals(take) == Unit.of(key).isHigherBetter ? values.stream().max(order) :
            values.stream().min(order)).orElseThrow();
    }

    /** A single round chooses for itself: its claim is inconclusive anyway. */
    private static double median(final double[] values, final int without)
    {
        return Spread.of(1 == values.length ? values : IntStream.range(0, values.length)
            .filter((i) -> without != i).mapToDouble((i) -> values[i]).toArray()).median();
    }
}
