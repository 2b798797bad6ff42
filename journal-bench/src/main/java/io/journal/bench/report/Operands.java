package io.journal.bench.report;

import io.journal.bench.run.Interval;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalDouble;

import io.journal.bench.run.Spread;

/**
 * The two selections of cases that a claim compares, in the rounds in which all of them were measured.
 * <p>
 * The best of several cases is chosen for each round by the medians of the other rounds: the best of a round itself is
 * the one with the best luck in it, and of many cases luckier than of few, though all were equal. What is left is that
 * one case is chosen for most of the rounds: equals are told apart two to three times as often as the interval says.
 */
final class Operands
{
    private static final int FIRST = 1;

    private final Claim claim;
    private final String key;
    private final List<Measured> of;
    private final List<Measured> to;
    private Operands than;

    Operands(final Claim claim, final String key, final List<Measured> of, final List<Measured> to)
    {
        this.claim = claim;
        this.key = key;
        this.of = of;
        this.to = to;
    }

    /** Has the ratio taken relative to another one, of the same rounds. */
    Operands than(final Operands other)
    {
        than = other;
        return this;
    }

    /**
     * Whether there is anything to compare: not a case with itself.
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

    /**
     * Cases of both.
     */
    int caseCount()
    {
        return (int)(of.size() + to.stream().filter((each) -> !of.contains(each)).count());
    }

    /**
     * How often as fast, round by round.
     */
    double[] ratios()
    {
        final List<Integer> rounds = rounds();
        final double[] ones = chosen(of, rounds, claim.take());
        final double[] baselines = chosen(to, rounds, claim.toTake());
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
     * How often as fast the one that counts by the medians of all rounds is as the other that counts by them; empty if
     * one is zero. No round is left out of the choice, so what noise chooses shows: the worst of many equal ones is
     * behind the best.
     */
    OptionalDouble ofMedians()
    {
        final List<Integer> rounds = rounds();
        if (rounds.isEmpty())
        {
            return OptionalDouble.empty();
        }

        final double one = chosenMedian(of, rounds, claim.take());
        final double other = chosenMedian(to, rounds, claim.toTake());
        final OptionalDouble relative = null == than ? OptionalDouble.of(1) : than.ofMedians();
        return one > 0 && other > 0 && relative.isPresent() ?
            OptionalDouble.of(ratio(one, other) / relative.getAsDouble()) : OptionalDouble.empty();
    }

    /**
     * The same with what the rounds leave open, where nothing says which rounds of two cases belong together.
     */
    Interval ofUnpaired()
    {
        final List<Integer> rounds = rounds();
        final Interval ones = Interval.of(chosenValues(of, rounds, claim.take()));
        final Interval others = Interval.of(chosenValues(to, rounds, claim.toTake()));
        final Interval own = Unit.of(key).isMoreBetter() ? ones.over(others) : others.over(ones);
        return null == than ? own : own.over(than.ofUnpaired());
    }

    /**
     * How often as fast the first round was as the others; null if there is none, or one is zero.
     */
    Interval ofFirst()
    {
        final OptionalDouble first = of.get(0).number(FIRST, key);
        final double[] others = chosenValues(to, othersThanFirst(), claim.toTake());
        if (first.isEmpty() || 0 == others.length || !(first.getAsDouble() > 0) ||
            !(Arrays.stream(others).min().orElseThrow() > 0))
        {
            return null;
        }

        if (Unit.of(key).isMoreBetter())
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

    private boolean isIn(final List<Measured> cases, final int round)
    {
        return cases.stream().allMatch((each) -> each.number(round, key).isPresent());
    }

    /**
     * Value of the case that counts, for each round.
     */
    private double[] chosen(final List<Measured> cases, final List<Integer> rounds, final String take)
    {
        final boolean isLargest = "best".equals(take) == Unit.of(key).isMoreBetter();
        final double[][] values = cases.stream().map((each) -> rounds.stream()
            .mapToDouble((round) -> each.number(round, key).orElseThrow()).toArray()).toArray(double[][]::new);
        final double[] chosen = new double[rounds.size()];
        for (int i = 0; i < chosen.length; i++)
        {
            double most = Double.NaN;
            for (final double[] each : values)
            {
                final double median = medianWithout(each, i);
                if (Double.isNaN(most) || (isLargest ? median > most : median < most))
                {
                    most = median;
                    chosen[i] = each[i];
                }
            }
        }

        return chosen;
    }

    /**
     * Median of the others; of a single one, itself: nothing is told from so few.
     */
    private static double medianWithout(final double[] values, final int place)
    {
        if (1 == values.length)
        {
            return values[0];
        }

        final double[] others = new double[values.length - 1];
        System.arraycopy(values, 0, others, 0, place);
        System.arraycopy(values, place + 1, others, place, others.length - place);
        return Spread.of(others).median();
    }

    private double chosenMedian(final List<Measured> cases, final List<Integer> rounds, final String take)
    {
        return Spread.of(chosenValues(cases, rounds, take)).median();
    }

    /**
     * Values of the case that counts by the medians of these rounds.
     */
    private double[] chosenValues(final List<Measured> cases, final List<Integer> rounds, final String take)
    {
        if (rounds.isEmpty())
        {
            return new double[0];
        }

        final boolean isLargest = "best".equals(take) == Unit.of(key).isMoreBetter();
        double[] chosen = null;
        for (final Measured each : cases)
        {
            final double[] values = rounds.stream()
                .mapToDouble((round) -> each.number(round, key).orElseThrow()).toArray();
            if (null == chosen || (isLargest ? Spread.of(values).median() > Spread.of(chosen).median() :
                Spread.of(values).median() < Spread.of(chosen).median()))
            {
                chosen = values;
            }
        }

        return chosen;
    }

    private double ratio(final double one, final double other)
    {
        return Unit.of(key).isMoreBetter() ? one / other : other / one;
    }
}
