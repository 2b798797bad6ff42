package io.journal.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;

import io.journal.bench.run.Spread;

/**
 * Results of one case, round by round.
 *
 * @param label      for display.
 * @param parameters by name.
 * @param rounds     values by name, by round.
 */
record CaseResult(String label, Map<String, String> parameters, SortedMap<Integer, Map<String, String>> rounds)
{
    /**
     * Keys of numeric values.
     */
    Set<String> keys()
    {
        final Set<String> keys = new LinkedHashSet<>();
        rounds.values().forEach((values) -> values.keySet().stream()
            .filter((key) -> number(values, key).isPresent()).forEach(keys::add));
        return keys;
    }

    boolean has(final String key)
    {
        return keys().contains(key);
    }

    /**
     * Numbers of the rounds that have one.
     */
    double[] numbers(final String key)
    {
        return rounds.values().stream().map((values) -> number(values, key)).filter(OptionalDouble::isPresent)
            .mapToDouble(OptionalDouble::getAsDouble).toArray();
    }

    /**
     * Texts of the rounds that have one.
     */
    List<String> texts(final String key)
    {
        final List<String> texts = new ArrayList<>();
        for (final Map<String, String> values : rounds.values())
        {
            if (values.containsKey(key))
            {
                texts.add(values.get(key));
            }
        }

        return texts;
    }

    OptionalDouble number(final int round, final String key)
    {
        return number(rounds.getOrDefault(round, Map.of()), key);
    }

    Spread spread(final String key)
    {
        return Spread.of(numbers(key));
    }

    double parameter(final String name)
    {
        return Double.parseDouble(parameters.get(name));
    }

    private static OptionalDouble number(final Map<String, String> values, final String key)
    {
        final String text = values.get(key);
        if (null == text || text.isEmpty() || "+-.0123456789".indexOf(text.charAt(0)) < 0)
        {
            return OptionalDouble.empty();
        }

        try
        {
            return OptionalDouble.of(Double.parseDouble(text));
        }
        catch (final NumberFormatException ex)
        {
            return OptionalDouble.empty();
        }
    }
}
