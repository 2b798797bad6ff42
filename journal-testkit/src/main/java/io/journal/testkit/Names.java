// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * The names of a directory's files or of its subdirectories. The operating system lists the current names; the device
 * may hold others.
 *
 * @param <T> type of the named objects.
 */
final class Names<T>
{
    /** Names as the operating system lists them. */
    final Map<String, T> current = new HashMap<>();

    /** Names that the last fsync of the directory made durable. */
    final Map<String, T> durable = new HashMap<>();

    /** Changes since that fsync, in order: each may have reached the device or not. */
    final List<NameChange<T>> pending = new ArrayList<>();

    /**
     * Returns names that are all durable.
     */
    static <T> Names<T> settled(final Map<String, T> names)
    {
        final Names<T> settled = new Names<>();
        settled.current.putAll(names);
        settled.durable.putAll(names);
        return settled;
    }

    void change(final NameChange<T> change)
    {
        change.apply(current);
        pending.add(change);
    }

    void force()
    {
        durable.clear();
        durable.putAll(current);
        pending.clear();
    }

    /**
     * Returns the same names, with mapped objects. Two names of the same object still have the same object afterwards.
     */
    <R> Names<R> map(final Function<T, R> mapper)
    {
        final Map<T, R> known = new IdentityHashMap<>();
        final Function<T, R> once = (file) -> known.computeIfAbsent(file, mapper);
        final Names<R> mapped = new Names<>();
        current.forEach((name, file) -> mapped.current.put(name, once.apply(file)));
        durable.forEach((name, file) -> mapped.durable.put(name, once.apply(file)));
        pending.forEach((change) -> mapped.pending.add(change.map(once)));
        return mapped;
    }
}
