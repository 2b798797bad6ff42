package io.journal.bench.report;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

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
        final Set<String> common = common(cases).keySet();
        final List<String> labels = new ArrayList<>();
        for (final Measured each : cases)
        {
            final Map<String, String> own = new LinkedHashMap<>(each.parameters());
            own.keySet().removeAll(common);
            labels.add(own.isEmpty() ? each.label() : Names.words(own));
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
     * Cases that differ in one parameter alone, each under a name of no more than tells them from the others.
     */
    static Map<String, List<Measured>> apartFrom(final List<Measured> cases, final String parameter)
    {
        final Set<String> names = new LinkedHashSet<>();
        cases.forEach((each) -> names.addAll(each.parameters().keySet()));
        names.remove(parameter);
        final Set<String> common = common(cases).keySet();
        final Map<String, List<Measured>> lines = new LinkedHashMap<>();
        by(cases, names.toArray(String[]::new)).forEach((key, line) ->
        {
            final Map<String, String> own = new LinkedHashMap<>(key);
            own.keySet().removeAll(common);
            lines.put(own.isEmpty() ? line.get(0).parameters().getOrDefault("way", "all") : Names.words(own), line);
        });
        return lines;
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
