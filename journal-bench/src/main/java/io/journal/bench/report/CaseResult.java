package io.journal.bench.report;

import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

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
    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?");

    /**
     * Keys of numeric values, in alphabetical order.
     */
    Set<String> keys()
    {
        final Set<String> keys = new TreeSet<>();
        rounds.forEach((round, values) -> values.keySet().stream()
            .filter((key) -> number(round, key).isPresent()).forEach(keys::add));
        return keys;
    }

    boolean has(final String key)
    {
        return numbers(key).length > 0;
    }

    /**
     * Numbers of the rounds that have one.
     */
    double[] numbers(final String key)
    {
        return rounds.keySet().stream().map((round) -> number(round, key)).flatMapToDouble(OptionalDouble::stream)
            .toArray();
    }

    /**
     * Texts of the rounds that have one.
     */
    List<String> texts(final String key)
    {
        return rounds.values().stream().map((values) -> values.get(key)).filter(Objects::nonNull).toList();
    }

    OptionalDouble number(final int round, final String key)
    {
        final String text = rounds.getOrDefault(round, Map.of()).get(key);
        return null != text && NUMBER.matcher(text).matches() ? OptionalDouble.of(Double.parseDouble(text)) :
            OptionalDouble.empty();
    }

    Spread spread(final String key)
    {
        return Spread.of(numbers(key));
    }

    /**
     * A parameter, or an empty string.
     */
    String parameter(final String name)
    {
        return parameters.getOrDefault(name, "");
    }

    /**
     * A parameter that is a number; 0 if there is none.
     */
    double number(final String parameter)
    {
        return Double.parseDouble(parameters.getOrDefault(parameter, "0"));
    }
}
