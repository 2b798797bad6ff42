// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.journal.bench.run.Interval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.RawFile;

/**
 * Results of one case, round by round; groups and labels several cases by their parameters.
 *
 * @param rounds values by name, by round.
 */
record CaseResult(String label, Map<String, String> parameters, SortedMap<Integer, Map<String, String>> rounds)
{
    private static final Pattern NUMBER = Pattern.compile("[-+]?(\\d+\\.?\\d*|\\.\\d+)([eE][-+]?\\d+)?");

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

    double[] numbers(final String key)
    {
        return rounds.keySet().stream().map((round) -> number(round, key)).flatMapToDouble(OptionalDouble::stream)
            .toArray();
    }

    OptionalDouble number(final int round, final String key)
    {
        final String text = rounds.getOrDefault(round, Map.of()).get(key);
        return null != text && NUMBER.matcher(text).matches() ? OptionalDouble.of(Double.parseDouble(text)) :
            OptionalDouble.empty();
    }

    Interval spread(final String key)
    {
        return Interval.range(numbers(key));
    }

    /** The texts of the rounds that have a text. */
    List<String> texts(final String key)
    {
        return rounds.values().stream().map((values) -> values.get(key)).filter(Objects::nonNull).toList();
    }

    /** A mark for a case that failed in some rounds; else empty. */
    String mark()
    {
        final int failures = texts(RawFile.FAILED).size();
        return 0 == failures ? "" : " (" + failures + " failed)";
    }

    boolean hasLatencies()
    {
        return !texts(Percentiles.HISTOGRAM).isEmpty();
    }

    String parameter(final String name)
    {
        return parameters.getOrDefault(name, "");
    }

    double number(final String parameter)
    {
        return Double.parseDouble(parameters.getOrDefault(parameter, "0"));
    }

    /** Name of the strategy or the backend, or the label. */
    String strategy()
    {
        return parameters.containsKey("way") ? DisplayNames.words("way", parameters.get("way")) :
            parameters.containsKey("subject") ? DisplayNames.words("subject", parameters.get("subject")) :
                parameters.getOrDefault("backend", label);
    }

    /** Parameters in words without the common and the varied ones, the strategy first. */
    String words(final Set<String> common, final Set<String> varied)
    {
        final Map<String, String> own = new LinkedHashMap<>();
        own.put("way", "");
        own.putAll(parameters);
        own.keySet().retainAll(parameters.keySet());
        own.keySet().removeIf((name) -> common.contains(name) || varied.contains(name));
        return DisplayNames.words(own);
    }

    static List<CaseResult> having(final List<CaseResult> cases, final String key)
    {
        return cases.stream().filter((each) -> each.has(key)).toList();
    }

    static <T> Map<String, List<T>> by(final List<T> all, final Function<T, String> name)
    {
        return all.stream().collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.toList()));
    }

    /** Parameters with the same value in all cases. */
    static Map<String, String> common(final List<CaseResult> cases)
    {
        final Map<String, String> common = new LinkedHashMap<>(cases.isEmpty() ? Map.of() : cases.get(0).parameters);
        cases.forEach((each) -> common.entrySet().retainAll(each.parameters.entrySet()));
        return common;
    }

    /** Shortest distinctive label of each case; says which are journals if they are compared with plain files. */
    static Map<CaseResult, String> labels(final List<CaseResult> cases)
    {
        final Map<String, List<CaseResult>> kinds = by(
            cases, (each) -> (each.parameters.containsKey("backend") ? "journal, " : "") +
                (each.parameters.containsKey("way") ? "plain file, " : ""));
        final boolean areCompared = kinds.keySet().equals(Set.of("journal, ", "plain file, "));
        final Map<CaseResult, String> labels = new HashMap<>();
        (areCompared ? kinds : Map.of("", cases)).forEach((prefix, kind) ->
        {
            final Set<String> common = common(kind).keySet();
            final int most = kind.stream().mapToInt((each) -> each.parameters.size()).max().orElse(0);
            by(kind, (each) ->
            {
                final String words = each.words(common, Set.of());
                return words.isEmpty() ? each.strategy() : words;
            }).forEach((words, alike) -> alike.forEach((each) -> labels.put(
                each, prefix + (alike.size() > 1 || each.parameters.size() < most ? each.label : words))));
        });
        return labels;
    }
}
