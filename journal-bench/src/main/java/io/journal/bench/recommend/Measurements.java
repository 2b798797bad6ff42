package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
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

    /**
     * A block for each figure, a line for each case.
     */
    String table()
    {
        final Case reference = cases().iterator().next();
        final StringBuilder lines = new StringBuilder();
        for (final Figure figure : Figure.values())
        {
            lines.append(String.format(Locale.ROOT, "%s%n", figure.title()));
            lines.append(String.format(
                Locale.ROOT, "  %-28s %6s %11s %11s %11s   against %s%n",
                "", "rounds", "median", "min", "max", reference.label()));
            for (final Case each : cases())
            {
                final double[] values = of(each, figure);
                final Spread spread = Spread.of(values);
                final Spread ratio = Spread.of(ratios(each, reference, List.of(figure)));
                lines.append(String.format(
                    Locale.ROOT, "  %-28s %6d %,11.0f %,11.0f %,11.0f   %5.2f [%.2f..%.2f]%n",
                    each.label(), values.length, spread.median() / figure.unit(), spread.min() / figure.unit(),
                    spread.max() / figure.unit(), ratio.median(), ratio.min(), ratio.max()));
            }
            lines.append(System.lineSeparator());
        }

        return lines.toString();
    }
}
