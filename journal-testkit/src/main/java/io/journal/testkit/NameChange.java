// SPDX-License-Identifier: Apache-2.0
package io.journal.testkit;

import java.util.Map;
import java.util.function.Function;

/**
 * A change to the names in a directory. A rename is a single change: the device holds either the old name or the new
 * name.
 *
 * @param <T>  type of the files.
 * @param from name that is removed, or null.
 * @param to   name that is added, or null.
 * @param file that has the name.
 */
record NameChange<T>(String from, String to, T file)
{
    /**
     * Applies the change, whether or not earlier changes were applied.
     */
    void apply(final Map<String, T> names)
    {
        if (null != from)
        {
            names.remove(from, file);
        }
        if (null != to)
        {
            names.put(to, file);
        }
    }

    <R> NameChange<R> map(final Function<T, R> mapper)
    {
        return new NameChange<>(from, to, mapper.apply(file));
    }
}
