package io.journal.bench.report;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/**
 * Grouping and labelling of cases by their parameters.
 */
final class Cases
{
    private Cases()
    {
    }

    static List<CaseResult> having(final List<CaseResult> cases, final String key)
    {
        return cases.stream().filter((each) -> each.has(key)).toList();
    }

    /**
     * Distinct values of a parameter, in order.
     */
    static List<String> valuesOf(final List<CaseResult> cases, final String parameter)
    {
        return cases.stream().filter((each) -> each.parameters().containsKey(parameter))
            .map((each) -> each.parameter(parameter)).distinct().sorted(DisplayNames::compare).toList();
    }

    /**
     * Groups cases by the values of some parameters, in order.
     */
    static Map<Map<String, String>, List<CaseResult>> by(final List<CaseResult> cases, final List<String> parameters)
    {
        final Comparator<Map<String, String>> order = DisplayNames::compare;
        final Map<Map<String, String>, List<CaseResult>> groups = new TreeMap<>(order.thenComparing(Map::toString));
        for (final CaseResult each : cases)
        {
            final Map<String, String> key = new LinkedHashMap<>();
            parameters.stream().filter(each.parameters()::containsKey)
                .forEach((parameter) -> key.put(parameter, each.parameter(parameter)));
            groups.computeIfAbsent(key, (none) -> new ArrayList<>()).add(each);
        }

        return groups;
    }

    /**
     * Groups cases by a name, in order of first appearance.
     */
    static Map<String, List<CaseResult>> by(final List<CaseResult> cases, final Function<CaseResult, String> name)
    {
        return cases.stream().collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.toList()));
    }

    /**
     * Parameters with the same value in all cases.
     */
    static Map<String, String> common(final List<CaseResult> cases)
    {
        final Map<String, String> common = new LinkedHashMap<>(cases.get(0).parameters());
        cases.forEach((each) -> common.entrySet().retainAll(each.parameters().entrySet()));
        return common;
    }

    /**
     * In words: the parameters of a case without some of them, its strategy first.
     */
    static String words(final CaseResult measured, final Set<String> common, final Set<String> varied)
    {
        final Map<String, String> own = new LinkedHashMap<>();
        own.put("way", measured.parameter("way"));
        own.putAll(measured.parameters());
        own.keySet().removeIf((name) -> common.contains(name) || varied.contains(name) ||
            !measured.parameters().containsKey(name));
        return DisplayNames.words(own);
    }

    /**
     * Name of the strategy or the backend of a case, or its label.
     */
    static String strategy(final CaseResult measured)
    {
        final Map<String, String> parameters = measured.parameters();
        return parameters.containsKey("way") ? DisplayNames.words("way", parameters.get("way")) :
            parameters.getOrDefault("backend", measured.label());
    }

    /**
     * Shortest distinctive label of each case; says which are journals if they are compared with plain files.
     */
    static Map<CaseResult, String> labels(final List<CaseResult> cases)
    {
        final List<CaseResult> journals =
            cases.stream().filter((each) -> each.parameters().containsKey("backend")).toList();
        final List<CaseResult> files = cases.stream().filter((each) -> each.parameters().containsKey("way")).toList();
        final Map<CaseResult, String> labels = new HashMap<>();
        if (journals.isEmpty() || files.isEmpty() || journals.size() + files.size() != cases.size())
        {
            addLabels("", cases, labels);
        }
        else
        {
            addLabels("journal, ", journals, labels);
            addLabels("plain file, ", files, labels);
        }
        return labels;
    }

    private static void addLabels(
        final String prefix, final List<CaseResult> cases, final Map<CaseResult, String> labels)
    {
        if (cases.isEmpty())
        {
            return;
        }

        final Set<String> common = common(cases).keySet();
        final int most = cases.stream().mapToInt((each) -> each.parameters().size()).max().orElseThrow();
        by(cases, (each) ->
        {
            final String words = words(each, common, Set.of());
            return words.isEmpty() ? strategy(each) : words;
        }).forEach((label, alike) -> alike.forEach((each) -> labels.put(
            each, prefix + (alike.size() > 1 || each.parameters().size() < most ? each.label() : label))));
    }
}
