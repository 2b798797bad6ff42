package io.journal.bench.report;

import java.util.ArrayList;
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
final class Sides
{
    private static final int FIRST = 1;

    private final Claim claim;
    private final String key;
    private final List<Measured> of;
    private final List<Measured> to;

    Sides(final Claim claim, final String key, final List<Measured> of, final List<Measured> to)
    {
        this.claim = claim;
        this.key = key;
        this.of = of;
        this.to = to;
    }

    /**
     * Whether there is anything to compare: not a case with itself.
     */
    boolean areTwo()
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
        final double[] others = chosen(to, rounds, claim.toTake());
        final List<Double> ratios = new ArrayList<>();
        for (int i = 0; i < ones.length; i++)
        {
            if (ones[i] > 0 && others[i] > 0)
            {
                ratios.add(ratio(ones[i], others[i]));
            }
        }

        return ratios.stream().mapToDouble(Double::doubleValue).toArray();
    }

    /**
     * How often as fast, by the medians of the rounds; empty if one is zero.
     */
    OptionalDouble ofMedians()
    {
        final List<Integer> rounds = rounds();
        return rounds.isEmpty() ? OptionalDouble.empty() :
            ofMedians(chosen(of, rounds, claim.take()), chosen(to, rounds, claim.toTake()));
    }

    /**
     * How often as fast the first round was as the median of the others; empty if there is none, or one is zero.
     */
    OptionalDouble ofFirst()
    {
        final OptionalDouble first = of.get(0).number(FIRST, key);
        final List<Integer> others = othersThanFirst();
        return first.isEmpty() || others.isEmpty() ? OptionalDouble.empty() :
            ofMedians(new double[]{ first.getAsDouble() }, chosen(to, others, claim.toTake()));
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

    private OptionalDouble ofMedians(final double[] ones, final double[] others)
    {
        final double one = Spread.of(ones).median();
        final double other = Spread.of(others).median();
        return one > 0 && other > 0 ? OptionalDouble.of(ratio(one, other)) : OptionalDouble.empty();
    }

    private double ratio(final double one, final double other)
    {
        return Unit.of(key).isMoreBetter() ? one / other : other / one;
    }
}
