package io.journal.bench.report;

import io.journal.bench.run.Interval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

import io.journal.bench.run.Spread;

/**
 * Computes the ratio of the two selections of cases that a claim compares, over the rounds in which all of them were
 * measured.
 * <p>
 * The best of several cases is chosen for each round by the medians of the other rounds (leave-one-out): choosing by
 * the round itself would favour luck, the more so the more cases there are. A bias remains, since one case is chosen
 * for most rounds: equal cases are found different two to three times as often as the confidence allows.
 */
final class ClaimRatio
{
    private static final int FIRST = 1;

    private final Claim claim;
    private final String key;
    private final List<CaseResult> of;
    private final List<CaseResult> to;
    private ClaimRatio than;

    ClaimRatio(final Claim claim, final String key, final List<CaseResult> of, final List<CaseResult> to)
    {
        this.claim = claim;
        this.key = key;
        this.of = of;
        this.to = to;
    }

    /** Divides by another ratio over the same rounds. */
    ClaimRatio than(final ClaimRatio other)
    {
        than = other;
        return this;
    }

    /**
     * Whether there are two different selections.
     */
    boolean areTwo()
    {
        return areTwoOfOwn() && (null == than || than.areTwoOfOwn() && rounds().equals(than.rounds()));
    }

    private boolean areTwoOfOwn()
    {
        final boolean isSame = of.equals(to) && (1 == of.size() || claim.take().equals(claim.toTake()));
        return !of.isEmpty() && !to.isEmpty() && (!isSame || claim.isOfFirst());
    }

    int caseCount()
    {
        return (int)(of.size() + to.stream().filter((each) -> !of.contains(each)).count());
    }

    /**
     * The ratios, round by round.
     */
    double[] ratios()
    {
        final List<Integer> rounds = rounds();
        final double[] ones = chosenByOthers(of, rounds, claim.take());
        final double[] baselines = chosenByOthers(to, rounds, claim.toTake());
        final List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ones.length; i++)
        {
            if (ones[i] > 0 && baselines[i] > 0)
            {
                ratios.add(ratio(ones[i], baselines[i]));
            }
        }

        final double[] own = ratios.stream().mapToDouble(Double::doubleValue).toArray();
        final double[] others = null == than ? null : than.ratios();
        return null == others ? own : own.length == others.length ? Spread.ratios(own, others) : new double[0];
    }

    /**
     * Ratio of the medians over all rounds of the cases that count; empty if one is zero. Without leave-one-out, so
     * selection by noise is visible: the worst of many equal cases is slower than the best.
     */
    OptionalDouble ofMedians()
    {
        final List<Integer> rounds = rounds();
        if (rounds.isEmpty())
        {
            return OptionalDouble.empty();
        }

        final double one = Spread.of(chosen(of, rounds, claim.take())).median();
        final double other = Spread.of(chosen(to, rounds, claim.toTake())).median();
        final OptionalDouble relative = null == than ? OptionalDouble.of(1) : than.ofMedians();
        return one > 0 && other > 0 && relative.isPresent() ?
            OptionalDouble.of(ratio(one, other) / relative.getAsDouble()) : OptionalDouble.empty();
    }

    /**
     * The same as an interval, for unpaired rounds.
     */
    Interval ofUnpaired()
    {
        final List<Integer> rounds = rounds();
        final Interval ones = Interval.of(chosen(of, rounds, claim.take()));
        final Interval others = Interval.of(chosen(to, rounds, claim.toTake()));
        final Interval own = Unit.of(key).isHigherBetter() ? ones.over(others) : others.over(ones);
        return null == than ? own : own.over(than.ofUnpaired());
    }

    /**
     * Ratio of the first round to the others; null if there is none, or one is zero.
     */
    Interval ofFirst()
    {
        final OptionalDouble first = of.get(0).number(FIRST, key);
        final double[] others = chosen(to, othersThanFirst(), claim.toTake());
        if (first.isEmpty() || 0 == others.length || !(first.getAsDouble() > 0) ||
            !(Arrays.stream(others).min().orElseThrow() > 0))
        {
            return null;
        }

        if (Unit.of(key).isHigherBetter())
        {
            return Interval.ofOne(first.getAsDouble(), others);
        }

        final double[] inverse = Arrays.stream(others).map((each) -> 1 / each).toArray();
        return Interval.ofOne(1 / first.getAsDouble(), inverse);
    }

    /**
     * Rounds in which all cases were measured.
     */
    List<Integer> rounds()
    {
        return of.get(0).rounds().keySet().stream().filter((round) -> isIn(of, round) && isIn(to, round)).toList();
    }

    List<Integer> othersThanFirst()
    {
        return rounds().stream().filter((round) -> FIRST != round).toList();
    }

    private boolean isIn(final List<CaseResult> cases, final int round)
    {
        return cases.stream().allMatch((each) -> each.number(round, key).isPresent());
    }

    /** For each round, the value of the case that counts by the medians of the other rounds. */
    private double[] chosenByOthers(final List<CaseResult> cases, final List<Integer> rounds, final String take)
    {
        final List<double[]> values = values(cases, rounds);
        return IntStream.range(0, rounds.size())
            .mapToDouble((i) -> chosen(values, take, (each) -> medianWithout(each, i))[i]).toArray();
    }

    /** Values of the case that counts by the medians of these rounds. */
    private double[] chosen(final List<CaseResult> cases, final List<Integer> rounds, final String take)
    {
        return rounds.isEmpty() ? new double[0] :
            chosen(values(cases, rounds), take, (each) -> Spread.of(each).median());
    }

    private List<double[]> values(final List<CaseResult> cases, final List<Integer> rounds)
    {
        return cases.stream().map((each) -> rounds.stream()
            .mapToDouble((round) -> each.number(round, key).orElseThrow()).toArray()).toList();
    }

    private double[] chosen(
        final List<double[]> values, final String take, final ToDoubleFunction<double[]> median)
    {
        final boolean isLargest = "best".equals(take) == Unit.of(key).isHigherBetter();
        double[] chosen = null;
        double most = Double.NaN;
        for (final double[] each : values)
        {
            final double one = median.applyAsDouble(each);
            if (null == chosen || (isLargest ? one > most : one < most))
            {
                chosen = each;
                most = one;
            }
        }
        return chosen;
    }

    /** A single round chooses for itself: its claim is inconclusive anyway. */
    private static double medianWithout(final double[] values, final int place)
    {
        return 1 == values.length ? values[0] :
            Spread.of(IntStream.range(0, values.length).filter((i) -> place != i)
                .mapToDouble((i) -> values[i]).toArray()).median();
    }

    private double ratio(final double one, final double other)
    {
        return Unit.of(key).isHigherBetter() ? one / other : other / one;
    }
}
