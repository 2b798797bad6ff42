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
 * What cases have in common, and what tells them apart.
 */
final class Cases
{
    private Cases()
    {
    }

    /**
     * Parameters that are the same in all cases.
     */
    static Map<String, String> common(final List<Measured> cases)
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
     * A name for each case, of no more than tells it from the others.
     */
    static List<String> labels(final List<Measured> cases)
    {
        final List<Measured> journals =
            cases.stream().filter((each) -> each.parameters().containsKey("backend")).toList();
        final List<Measured> files = cases.stream().filter((each) -> each.parameters().containsKey("way")).toList();
        if (journals.isEmpty() || journals.size() + files.size() != cases.size() || files.isEmpty())
        {
            return labelsOfAlike(cases);
        }

        // The journal beside plain files.
        final Map<Measured, String> labels = new HashMap<>();
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

    private static List<String> labelsOfAlike(final List<Measured> cases)
    {
        final Set<String> common = common(cases).keySet();
        final List<String> labels = new ArrayList<>();
        for (final Measured each : cases)
        {
            final Map<String, String> own = without(each.parameters(), common, Set.of());
            labels.add(own.isEmpty() ? alone(each) : Names.words(own));
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

    private static String alone(final Measured measured)
    {
        final Map<String, String> parameters = measured.parameters();
        return parameters.containsKey("backend") ? parameters.get("backend") :
            parameters.containsKey("way") ? Names.words("way", parameters.get("way")) : measured.label();
    }

    /**
     * Values that a parameter has, in order.
     */
    static List<String> valuesOf(final List<Measured> cases, final String parameter)
    {
        final Set<String> values = new LinkedHashSet<>();
        cases.forEach((each) -> values.add(each.parameters().get(parameter)));
        values.remove(null);
        return values.stream().sorted(Names::compare).toList();
    }

    /**
     * Cases by their values of some parameters, in order.
     */
    static Map<Map<String, String>, List<Measured>> by(final List<Measured> cases, final String... parameters)
    {
        final Map<Map<String, String>, List<Measured>> groups = new TreeMap<>(Cases::compareAll);
        for (final Measured each : cases)
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
     * Cases by what is said of each, in the order in which it is said first.
     */
    static Map<String, List<Measured>> by(final List<Measured> cases, final Function<Measured, String> name)
    {
        return cases.stream().collect(Collectors.groupingBy(name, LinkedHashMap::new, Collectors.toList()));
    }

    /**
     * Parameters but those that all have in common, and those that are varied.
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

    /**
     * Cases that have some value.
     */
    static List<Measured> having(final List<Measured> cases, final String key)
    {
        return cases.stream().filter((each) -> each.has(key)).toList();
    }

    /**
     * Cases that have some value of a parameter.
     */
    static List<Measured> with(final List<Measured> cases, final String parameter, final String value)
    {
        return cases.stream().filter((each) -> value.equals(each.parameters().get(parameter))).toList();
    }

    private static int compareAll(final Map<String, String> first, final Map<String, String> second)
    {
        final int order = Names.compare(first, second);
        return 0 == order ? first.toString().compareTo(second.toString()) : order;
    }

    private static int largest(final List<Measured> cases)
    {
        return cases.stream().mapToInt((each) -> each.parameters().size()).max().orElse(0);
    }
}
