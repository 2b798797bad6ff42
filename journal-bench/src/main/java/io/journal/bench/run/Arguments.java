package io.journal.bench.run;

import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Command-line arguments of a benchmark process: its directory, then {@code name=value} pairs, as {@link BenchmarkCase}
 * passes them.
 */
public record Arguments(List<String> all, Path directory, Map<String, String> values)
{
    /**
     * Parses the arguments. From then on this process ends when its parent does.
     */
    public static Arguments of(final String... args)
    {
        Child.endWithParent();
        final Map<String, String> values = new LinkedHashMap<>();
        for (final String each : Arrays.asList(args).subList(1, args.length))
        {
            final int equals = each.indexOf('=');
            values.put(each.substring(0, equals), each.substring(equals + 1));
        }
        return new Arguments(List.of(args), Path.of(args[0]), values);
    }

    public String text(final String name)
    {
        final String value = values.get(name);
        if (null == value)
        {
            throw new IllegalArgumentException("missing argument: name=" + name + ", given=" + values.keySet());
        }
        return value;
    }

    public long number(final String name)
    {
        return Long.parseLong(text(name));
    }

    public int length(final String name)
    {
        return Integer.parseInt(text(name));
    }

    public boolean is(final String name)
    {
        return Boolean.parseBoolean(text(name));
    }

    public <E extends Enum<E>> E one(final Class<E> type, final String name)
    {
        return Enum.valueOf(type, text(name));
    }
}
