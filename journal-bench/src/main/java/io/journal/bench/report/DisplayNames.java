package io.journal.bench.report;

import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import com.fasterxml.jackson.core.type.TypeReference;

/**
 * Display names of parameters and values, from {@code names.json}, and the order of cases.
 */
final class DisplayNames
{
    private static final int KIB = 1024;
    private static final int MIB = KIB * KIB;
    private static final Map<String, Map<String, String>> NAMES = Resources.json("names.json", new TypeReference<>()
    {
    });

    private DisplayNames()
    {
    }

    /**
     * Orders cases by their parameters: numerically if possible, else alphabetically.
     */
    static int compare(final Map<String, String> first, final Map<String, String> second)
    {
        return first.entrySet().stream().filter((entry) -> second.containsKey(entry.getKey()))
            .mapToInt((entry) -> compare(entry.getValue(), second.get(entry.getKey()))).filter((order) -> 0 != order)
            .findFirst().orElse(Integer.compare(first.size(), second.size()));
    }

    static int compare(final String first, final String second)
    {
        return isNumber(first) && isNumber(second) ?
            Double.compare(Double.parseDouble(first), Double.parseDouble(second)) : first.compareTo(second);
    }

    private static boolean isNumber(final String text)
    {
        return text.matches("-?\\d+(\\.\\d+)?(E-?\\d+)?");
    }

    /**
     * API family of a case, which determines its colour and order in every chart by the leading digit.
     */
    static String family(final String name)
    {
        final String text = name.toLowerCase(Locale.ROOT);
        return NAMES.get("families").entrySet().stream()
            .filter((family) -> Pattern.compile(family.getKey()).matcher(text).find()).findFirst().orElseThrow()
            .getValue();
    }

    static String words(final Map<String, String> parameters)
    {
        return parameters.entrySet().stream().map((entry) -> words(entry.getKey(), entry.getValue()))
            .collect(Collectors.joining(", "));
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
            .replace("{value}", value);
    }

    /**
     * Name of a strategy, as in the JDK and the articles.
     */
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

    /**
     * Formats a length, in KiB or MiB if it is a multiple.
     */
    static String bytes(final String text)
    {
        if (!text.matches("\\d{1,18}"))
        {
            return text;
        }

        final long length = Long.parseLong(text);
        return 0 == length % MIB && length > 0 ? length / MIB + " MiB" :
            0 == length % KIB && length > 0 && length < MIB ? length / KIB + " KiB" :
                length < MIB ? grouped(text) + " B" : Unit.number(length / 1e6) + " MB";
    }

    /**
     * Name of a value; says whether a rate is that of the page cache or the device.
     */
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
}
