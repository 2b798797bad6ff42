package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import io.journal.bench.journal.Case;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;

/**
 * What was measured: round by round, each figure of each case that took part.
 */
final class Measurements
{
    private final List<Map<Case, Map<Figure, Double>>> rounds = new ArrayList<>();

    /**
     * What trials printed.
     */
    static Measurements of(final Collection<Case> cases, final Results results)
    {
        final Measurements measurements = new Measurements();
        for (int i = 0; i < results.roundCount(); i++)
        {
            final Map<Case, Map<Figure, Double>> round = new LinkedHashMap<>();
            for (final Case each : cases)
            {
                final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
                for (final Figure figure : Figure.values())
                {
                    figures.put(figure, results.of(each.label(), figure.key())[i]);
                }
                round.put(each, figures);
            }
            measurements.add(round);
        }

        return measurements;
    }

    /**
     * Adds a round.
     *
     * @throws IllegalArgumentException if a figure is missing or is no measurement.
     */
    void add(final Map<Case, Map<Figure, Double>> round)
    {
        round.forEach((measured, figures) ->
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
        });
        rounds.add(round);
    }

    /**
     * Adds the rounds of others.
     */
    void addAll(final Measurements others)
    {
        rounds.addAll(others.rounds);
    }

    int roundCount()
    {
        return rounds.size();
    }

    /**
     * Cases that took part in a round.
     */
    Set<Case> cases()
    {
        final Set<Case> cases = new LinkedHashSet<>();
        rounds.forEach((round) -> cases.addAll(round.keySet()));
        return cases;
    }

    /**
     * Values of a figure, of the rounds that the case took part in.
     */
    double[] of(final Case measured, final Figure figure)
    {
        return rounds.stream()
            .filter((round) -> round.containsKey(measured))
            .mapToDouble((round) -> round.get(measured).get(figure))
            .toArray();
    }

    /**
     * Records per second of a case, of the rounds that it took part in.
     */
    Comparison recordsPerSecond(final Case measured, final Figure figure, final int recordLength)
    {
        return Comparison.of(Arrays.stream(of(measured, figure))
            .map((value) -> figure.recordsPerSecond(value, recordLength)).toArray());
    }

    /**
     * How often as good one case was as another, of the rounds that both took part in.
     */
    Comparison compare(final Case measured, final Case baseline, final List<Figure> figures)
    {
        return Comparison.of(ratios(measured, baseline, figures));
    }

    /**
     * Ratios of two cases within each round that both took part in; several figures are one by their geometric mean.
     */
    double[] ratios(final Case measured, final Case baseline, final List<Figure> figures)
    {
        return rounds.stream()
            .filter((round) -> round.containsKey(measured) && round.containsKey(baseline))
            .mapToDouble((round) -> Spread.geometricMean(
                figures.stream()
                    .mapToDouble((figure) -> round.get(measured).get(figure) / round.get(baseline).get(figure))
                    .toArray()))
            .toArray();
    }
}
