// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.report;

import java.util.Collection;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import com.fasterxml.jackson.core.type.TypeReference;
import io.journal.bench.run.BenchmarkCase;
import io.journal.bench.run.Unit;
import io.journal.bench.subject.SubjectKind;

/**
 * Display names of parameters and values, from {@code names.json}, and the order of cases.
 */
final class DisplayNames
{
    private static final Comparator<String> VALUES = Comparator.nullsFirst(DisplayNames::compare);
    private static final Map<String, Map<String, String>> NAMES = Page.json("names.json", new TypeReference<>()
    {
    });

    private DisplayNames()
    {
    }

    /**
     * Orders cases by their parameters. The parameters of the case with the most parameters come first, in its order.
     * JVM flags come last, so that a case is next to the same case with flags.
     */
    static Comparator<Map<String, String>> orderOf(final Collection<Map<String, String>> cases)
    {
        final Set<String> names = new LinkedHashSet<>();
        cases.stream().map(Map::keySet)
            .sorted(Comparator.<Set<String>>comparingInt(Set::size).reversed().thenComparing(Set::toString))
            .forEach(names::addAll);
        if (names.remove(BenchmarkCase.JVM_FLAGS))
        {
            names.add(BenchmarkCase.JVM_FLAGS);
        }
        return orderBy(names);
    }

    /** Orders by some parameters, one after the other. A case without a parameter comes first. */
    static Comparator<Map<String, String>> orderBy(final Collection<String> names)
    {
        return names.stream()
            .map((name) -> Comparator.comparing((Map<String, String> parameters) -> parameters.get(name), VALUES))
            .reduce((first, second) -> 0, Comparator::thenComparing);
    }

    /** Orders numbers by their value, then other texts alphabetically. */
    static int compare(final String first, final String second)
    {
        return isNumber(first) && isNumber(second) ?
            Double.compare(Double.parseDouble(first), Double.parseDouble(second)) :
            isNumber(first) != isNumber(second) ? isNumber(first) ? -1 : 1 : first.compareTo(second);
    }

    private static boolean isNumber(final String text)
    {
        return text.matches("-?\\d+(\\.\\d+)?(E-?\\d+)?");
    }

    /** API family of a case, which determines its colour and order in every chart by the leading digit. */
    static String family(final String name)
    {
        final String text = name.toLowerCase(Locale.ROOT);
        return NAMES.get("families").entrySet().stream()
            .filter((family) -> Pattern.compile(family.getKey()).matcher(text).find()).findFirst().orElseThrow()
            .getValue();
    }

    static String words(final Map<String, String> parameters)
    {
        return words(parameters, (name) -> true);
    }

    static String words(final Map<String, String> parameters, final Predicate<String> isShown)
    {
        return parameters.entrySet().stream().filter((entry) -> isShown.test(entry.getKey()))
            .map((entry) -> words(entry.getKey(), entry.getValue())).collect(Collectors.joining(", "));
    }

    static String words(final String name, final String value)
    {
        final Map<String, String> formats = NAMES.get("parameters");
        final String format = formats.getOrDefault(name + '=' + value, formats.get(name));
        if (null == format)
        {
            return "true".equals(value) ? name : "false".equals(value) ? "no " + name :
                split(name) + " " + (isNumber(value) ? grouped(value) : value);
        }

        return format.replace("{bytes}", bytes(value)).replace("{number}", grouped(value))
            .replace("{words}", value.toLowerCase(Locale.ROOT).replace('_', ' ')).replace("{way}", way(value))
            .replace("{subject}", subject(value))
            .replace("{value}", value);
    }

    private static String subject(final String value)
    {
        return Stream.of(SubjectKind.values()).filter((kind) -> kind.name().equals(value)).map(SubjectKind::title)
            .findFirst().orElse(value);
    }

    /** Rank of a subject: our journal first, plain files last, and after them subjects that are no longer measured. */
    static int rankOfSubject(final String value)
    {
        return (int)Stream.of(SubjectKind.values()).takeWhile((kind) -> !kind.name().equals(value)).count();
    }

    /** Name of a strategy, as in the JDK and the articles. */
    private static String way(final String value)
    {
        String text = value;
        if (value.matches("[A-Z_]+"))
        {
            for (final Map.Entry<String, String> entry : NAMES.get("ways").entrySet())
            {
                text = text.replace(entry.getKey(), entry.getValue());
            }
        }
        return text;
    }

    static String bytes(final String text)
    {
        return text.matches("\\d{1,18}") ? Unit.bytes(Long.parseLong(text)) : text;
    }

    /** The name of a value. For a rate, it says whether the page cache or the device is meant. */
    static String value(final String key, final String profile)
    {
        final Map<String, String> values = NAMES.get("values");
        return values.getOrDefault(key + ' ' + profile, values.getOrDefault(key, split(Unit.of(key).strip(key))));
    }

    private static String grouped(final String number)
    {
        return number.matches("\\d{1,18}") ? String.format(Locale.ROOT, "%,d", Long.parseLong(number)) : number;
    }

    private static String split(final String camelCase)
    {
        return camelCase.replaceAll("([a-z])([A-Z])", "$1 $2").toLowerCase(Locale.ROOT);
    }

    static String sentence(final String words)
    {
        return words.isEmpty() ? words : Character.toUpperCase(words.charAt(0)) + words.substring(1);
    }

    /** Order of values: rates and main values first, in the listed order, and values that are not listed last. */
    static int rank(final String key)
    {
        final int listed = List.copyOf(NAMES.get("values").keySet()).indexOf(key);
        return listed < 0 ? Integer.MAX_VALUE : listed;
    }
}
