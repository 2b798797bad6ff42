// SPDX-License-Identifier: Apache-2.0
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
    /** Parses the arguments. From then on this process ends when its parent does. */
    public static Arguments of(final String... args)
    {
        Child.endWithParent();
        final Map<String, String> values = new LinkedHashMap<>();
        Arrays.stream(args).skip(1).map((each) -> each.split("=", 2))
            .forEach((words) -> values.put(words[0], words[1]));
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

    public String text(final String name, final String otherwise)
    {
        return values.getOrDefault(name, otherwise);
    }

    public long number(final String name)
    {
        return Long.parseLong(text(name));
    }

    public long number(final String name, final long otherwise)
    {
        return values.containsKey(name) ? number(name) : otherwise;
    }

    public int length(final String name)
    {
        return Integer.parseInt(text(name));
    }

    public boolean is(final String name)
    {
        return Boolean.parseBoolean(values.get(name));
    }

    public <E extends Enum<E>> E one(final Class<E> type, final String name)
    {
        return Enum.valueOf(type, text(name));
    }

    public <E extends Enum<E>> E one(final Class<E> type, final String name, final E otherwise)
    {
        return values.containsKey(name) ? one(type, name) : otherwise;
    }
}
