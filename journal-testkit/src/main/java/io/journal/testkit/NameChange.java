package io.journal.testkit;

import java.util.Map;
import java.util.function.Function;

/**
 * A change of the names in a directory. Renaming is one: a device holds the new name or the old one.
 *
 * @param <T>  what a name stands for.
 * @param from name that goes, or null.
 * @param to   name that comes, or null.
 * @param file it stands for.
 */
record NameChange<T>(String from, String to, T file)
{
    /**
     * Makes the change, also where changes before it are missing.
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
