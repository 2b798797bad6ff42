package io.journal.bench.report;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
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

    /**
     * Parameters with the same value in all cases.
     */
    static Map<String, String> common(final List<CaseResult> cases)
    {
        final Map<String, String> common = new LinkedHashMap<>();
        if (!cases.isEmpty())
        {
            common.putAll(cases.get(0).parameters());
            cases.forEach((each) -> common.entrySet().retainAll(each.parameters().entrySet()));
        }

        return common;
    }

    /**
     * Shortest distinctive label of each case.
     */
    static List<String> labels(final List<CaseResult> cases)
    {
        final List<CaseResult> journals =
            cases.stream().filter((each) -> each.parameters().containsKey("backend")).toList();
        final List<CaseResult> files = cases.stream().filter((each) -> each.parameters().containsKey("way")).toList();
        if (journals.isEmpty() || journals.size() + files.size() != cases.size() || files.isEmpty())
        {
            return labelsOfAlike(cases);
        }

        // Journals compared with plain files.
        final Map<CaseResult, String> labels = new HashMap<>();
        for (int i = 0; i < journals.size(); i++)
        {
            labels.put(journals.get(i), "journal, " + labelsOfAlike(journals).get(i));
        }
        for (int i = 0; i < files.size(); i++)
        {
            labels.put(files.get(i), "plain file, " + labelsOfAlike(files).get(i));
        }
        return cases.stream().map(labels::get).toList();
    }

    private static List<String> labelsOfAlike(final List<CaseResult> cases)
    {
        final Set<String> common = common(cases).keySet();
        final List<String> labels = new ArrayList<>();
        for (final CaseResult each : cases)
        {
            final Map<String, String> own = without(each.parameters(), common, Set.of());
            labels.add(own.isEmpty() ? alone(each) : DisplayNames.words(own));
        }

        final Set<String> seen = new HashSet<>();
        final Set<String> twice = new HashSet<>();
        labels.forEach((label) ->
        {
            if (!seen.add(label))
            {
                twice.add(label);
            }
        });
        for (int i = 0; i < labels.size(); i++)
        {
            if (twice.contains(labels.get(i)) || cases.get(i).parameters().size() < largest(cases))
            {
                labels.set(i, cases.get(i).label());
            }
        }

        return labels;
    }

    private static String alone(final CaseResult measured)
    {
        final Map<String, String> parameters = measured.parameters();
        return parameters.containsKey("backend") ? parameters.get("backend") :
            parameters.containsKey("way") ? DisplayNames.words("way", parameters.get("way")) : measured.label();
    }

    /**
     * Distinct values of a parameter, in order.
     */
    static List<String> valuesOf(final List<CaseResult> cases, final String parameter)
    {
        final Set<String> values = new LinkedHashSet<>();
        cases.forEach((each) -> values.add(each.parameters().get(parameter)));
        values.remove(null);
        return values.stream().sorted(DisplayNames::compare).toList();
    }

    /**
     * Groups cases by the values of some parameters, in order.
     */
    static Map<Map<String, String>, List<CaseResult>> by(final List<CaseResult> cases, final String... parameters)
    {
        final Map<Map<String, String>, List<CaseResult>> groups = new TreeMap<>(Cases::compareAll);
        for (final CaseResult each : cases)
        {
            final Map<String, String> key = new LinkedHashMap<>();
            for (final String parameter : parameters)
            {
                if (each.parameters().containsKey(parameter))
                {
                    key.put(parameter, each.parameters().get(parameter));
                }
            }
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
     * Parameters without the common and the varied ones.
     */
    static Map<String, String> without(
        final Map<String, String> parameters, final Set<String> common, final Set<String> varied)
    {
        final Map<String, String> own = new LinkedHashMap<>();
        if (parameters.containsKey("way"))
        {
            own.put("way", parameters.get("way"));
        }
        own.putAll(parameters);
        own.keySet().removeAll(common);
        own.keySet().removeAll(varied);
        return own;
    }

    static List<CaseResult> having(final List<CaseResult> cases, final String key)
    {
        return cases.stream().filter((each) -> each.has(key)).toList();
    }

    static List<CaseResult> with(final List<CaseResult> cases, final String parameter, final String value)
    {
        return cases.stream().filter((each) -> value.equals(each.parameters().get(parameter))).toList();
    }

    private static int compareAll(final Map<String, String> first, final Map<String, String> second)
    {
        final int order = DisplayNames.compare(first, second);
        return 0 == order ? first.toString().compareTo(second.toString()) : order;
    }

    private static int largest(final List<CaseResult> cases)
    {
        return cases.stream().mapToInt((each) -> each.parameters().size()).max().orElse(0);
    }
}
