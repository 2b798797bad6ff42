package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Spread;

/**
 * What was measured: of each case each figure, once per round.
 */
final class Measurements
{
    private final Map<Case, List<Map<Figure, Double>>> rounds = new LinkedHashMap<>();

    /**
     * @param cases to be measured; the others are compared with the first.
     */
    Measurements(final List<Case> cases)
    {
        cases.forEach((each) -> rounds.put(each, new ArrayList<>()));
    }

    /**
     * Adds what was measured of a case in its next round.
     */
    void add(final Case measured, final Map<Figure, Double> figures)
    {
        for (final Figure figure : Figure.values())
        {
            final Double value = figures.get(figure);
            if (null == value || !(value > 0) || value.isInfinite())
            {
                throw new IllegalArgumentException(
                    "not measured: case=" + measured + ", figure=" + figure + ", value=" + value);
            }
        }
        rounds.get(measured).add(new EnumMap<>(figures));
    }

    List<Case> cases()
    {
        return List.copyOf(rounds.keySet());
    }

    /**
     * What others are compared with.
     */
    Case reference()
    {
        return cases().get(0);
    }

    int roundCount()
    {
        return rounds.values().stream().mapToInt(List::size).min().orElse(0);
    }

    /**
     * Values of a figure, round by round.
     */
    double[] of(final Case measured, final Figure figure)
    {
        return rounds.get(measured).stream().limit(roundCount()).mapToDouble((round) -> round.get(figure)).toArray();
    }

    /**
     * Ratios to the reference in the same round, round by round; several figures are one by their geometric mean.
     */
    double[] ratios(final Case measured, final List<Figure> figures)
    {
        final double[] ratios = new double[roundCount()];
        for (int round = 0; round < ratios.length; round++)
        {
            final double[] each = new double[figures.size()];
            for (int i = 0; i < each.length; i++)
            {
                final Figure figure = figures.get(i);
                each[i] = of(measured, figure)[round] / of(reference(), figure)[round];
            }
            ratios[round] = Spread.geometricMean(each);
        }

        return ratios;
    }
}
