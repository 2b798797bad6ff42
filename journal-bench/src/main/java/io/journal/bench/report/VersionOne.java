package io.journal.bench.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What version 1 of result files had in words only.
 */
final class VersionOne
{
    private static final Pattern PROFILE = Pattern.compile("--profile=(\\w+)");
    private static final Pattern SEQUENTIAL =
        Pattern.compile("(?<way>\\w+), (?<length>[\\d,]+) B, pages of (?<pageLength>[\\d,]+) B(, (?<layout>\\w+))?");
    private static final Pattern GROUP_COMMIT = Pattern.compile("(?<backend>[A-Z_]+), (?<threads>\\d+) threads?");
    private static final Pattern FOLLOW = Pattern.compile("(?<backend>\\w+), (?<where>\\w+), (?<idle>\\w+)");
    private static final Pattern SEEK = Pattern.compile("(?<backend>\\w+), (?<records>[\\d,]+) records");

    private VersionOne()
    {
    }

    static String profile(final String experiment, final String command)
    {
        final Matcher matcher = PROFILE.matcher(command);
        return matcher.find() ? matcher.group(1).toLowerCase(Locale.ROOT) :
            "group-commit".equals(experiment) ? "durable" : "fair";
    }

    static Map<String, String> parameters(final String experiment, final String label)
    {
        return switch (experiment)
        {
            case "sequential" -> groups(SEQUENTIAL, label, "way", "length", "pageLength", "layout");
            case "group-commit" -> label.startsWith("pwrite") || label.startsWith("the same loop") ?
                Map.of("threads", "1") : groups(GROUP_COMMIT, label, "backend", "threads");
            case "follow" -> groups(FOLLOW, label, "backend", "where", "idle");
            case "seek" -> groups(SEEK, label, "backend", "records");
            default -> Map.of();
        };
    }

    private static Map<String, String> groups(final Pattern pattern, final String label, final String... names)
    {
        final Map<String, String> parameters = new LinkedHashMap<>();
        final Matcher matcher = pattern.matcher(label);
        if (matcher.matches())
        {
            for (final String name : names)
            {
                if (null != matcher.group(name))
                {
                    final String text = matcher.group(name);
                    parameters.put(name, text.matches("[\\d,]+") ? text.replace(",", "") :
                        "way".equals(name) ? text : text.toUpperCase(Locale.ROOT));
                }
            }
        }

        return parameters;
    }
}
