// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.experiment;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;

/**
 * The size of a run of an experiment, and the lengths and numbers that replace its own.
 *
 * @param directory of the run, for files that cases share.
 * @param scale     fraction of the full size.
 * @param chosen    lists by name, as options give them.
 * @param notes     what is not measured, and why; part of the plan.
 */
public record Scope(Path directory, double scale, Map<String, List<String>> chosen, List<String> notes)
{
    public static final double QUICK = 1.0 / 32;

    private static final int STEP = 64 * 1024;

    public Scope(final Path directory, final double scale, final Map<String, List<String>> chosen)
    {
        this(directory, scale, chosen, new ArrayList<>());
    }

    public boolean isFull()
    {
        return scale >= 1;
    }

    /** Bytes to move: scaled, and then a multiple of every usual page and buffer. */
    public long bytes(final long full)
    {
        final long wanted = chosen.containsKey("length") ? Long.parseLong(chosen.get("length").get(0)) : full;
        return isFull() ? wanted : Math.max(STEP, (long)(wanted * scale) / STEP * STEP);
    }

    public int ms(final int full)
    {
        final int wanted = chosen.containsKey("ms") ? Integer.parseInt(chosen.get("ms").get(0)) : full;
        return isFull() ? wanted : (int)Math.max(1, wanted * Math.sqrt(scale));
    }

    public int count(final int full)
    {
        return isFull() ? full : (int)Math.max(1, full * scale);
    }

    public List<Integer> numbers(final String name, final Integer... standard)
    {
        return chosen.containsKey(name) ? chosen.get(name).stream().map(Integer::valueOf).toList() :
            Arrays.asList(standard);
    }

    public int number(final String name, final int standard)
    {
        return numbers(name, standard).get(0);
    }

    public <E extends Enum<E>> List<E> constants(final Class<E> type, final String name, final List<E> standard)
    {
        return chosen.containsKey(name) ? chosen.get(name).stream().map((each) -> Enum.valueOf(type, each)).toList() :
            standard;
    }
}
