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

import io.journal.bench.journal.BackendConfig;
import io.journal.bench.run.Results;
import io.journal.bench.run.Spread;

/**
 * Measured figures of configurations, round by round.
 */
final class Measurements
{
    private final List<Map<BackendConfig, Map<Figure, Double>>> rounds = new ArrayList<>();

    /**
     * From the output of trials.
     */
    static Measurements of(final Collection<BackendConfig> cases, final Results results)
    {
        final Measurements measurements = new Measurements();
        for (int i = 0; i < results.roundCount(); i++)
        {
            final Map<BackendConfig, Map<Figure, Double>> round = new LinkedHashMap<>();
            for (final BackendConfig each : cases)
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
     * @throws IllegalArgumentException if a figure is missing or invalid.
     */
    void add(final Map<BackendConfig, Map<Figure, Double>> round)
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

    void addAll(final Measurements others)
    {
        rounds.addAll(others.rounds);
    }

    int roundCount()
    {
        return rounds.size();
    }

    /**
     * Configurations that were measured in a round.
     */
    Set<BackendConfig> cases()
    {
        final Set<BackendConfig> cases = new LinkedHashSet<>();
        rounds.forEach((round) -> cases.addAll(round.keySet()));
        return cases;
    }

    /**
     * Values of a figure, for the rounds in which the configuration was measured.
     */
    double[] of(final BackendConfig measured, final Figure figure)
    {
        return rounds.stream()
            .filter((round) -> round.containsKey(measured))
            .mapToDouble((round) -> round.get(measured).get(figure))
            .toArray();
    }

    /**
     * Records/s of a configuration, for the rounds in which it was measured.
     */
    Comparison recordsPerSecond(final BackendConfig measured, final Figure figure, final int recordLength)
    {
        return Comparison.of(Arrays.stream(of(measured, figure))
            .map((value) -> figure.recordsPerSecond(value, recordLength)).toArray());
    }

    /**
     * Compares two configurations over the rounds in which both were measured.
     */
    Comparison compare(final BackendConfig measured, final BackendConfig baseline, final List<Figure> figures)
    {
        return Comparison.of(ratios(measured, baseline, figures));
    }

    /**
     * Ratios of two configurations by round; several figures are combined by their geometric mean.
     */
    double[] ratios(final BackendConfig measured, final BackendConfig baseline, final List<Figure> figures)
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
