// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.LongFunction;

import io.journal.streams.Query;

/** A query as bytes and hashes. Immutable. */
final class Matcher
{
    /** A name as bytes, and its hash. */
    private record Name(byte[] bytes, long key)
    {
    }

    private record Item(List<Name> types, List<Name> tags, List<Name> excludedTypes)
    {
        boolean matches(final EventRecord event)
        {
            for (final Name tag : tags)
            {
                if (!event.hasTag(tag.bytes))
                {
                    return false;
                }
            }

            return (types.isEmpty() || hasType(event, types)) && !hasType(event, excludedTypes);
        }

        private static boolean hasType(final EventRecord event, final List<Name> types)
        {
            for (final Name type : types)
            {
                if (event.hasType(type.bytes))
                {
                    return true;
                }
            }

            return false;
        }

        /** Null if nothing narrows the candidates. */
        Candidates candidates(final LongFunction<Candidates> index)
        {
            final List<Candidates> all = new ArrayList<>();
            for (final Name tag : tags)
            {
                all.add(index.apply(tag.key));
            }
            if (!types.isEmpty())
            {
                all.add(Candidates.union(types.stream().map((type) -> index.apply(type.key)).toList()));
            }

            return all.isEmpty() ? Candidates.ALL : Candidates.intersection(all);
        }
    }

    private final List<Item> items;

    Matcher(final Query query)
    {
        items = query.items().stream().map((item) -> new Item(
            names(item.types(), true), names(item.tags(), false), names(item.excludedTypes(), true))).toList();
    }

    private static List<Name> names(final Set<String> names, final boolean areTypes)
    {
        return names.stream().map(Names::bytes)
            .map((bytes) -> new Name(bytes, areTypes ? Keys.type(bytes) : Keys.tag(bytes))).toList();
    }

    boolean matches(final EventRecord event)
    {
        for (final Item item : items)
        {
            if (item.matches(event))
            {
                return true;
            }
        }

        return items.isEmpty();
    }

    /** @param index the candidates of a key. */
    Candidates candidates(final LongFunction<Candidates> index)
    {
        return items.isEmpty() ? Candidates.ALL :
            Candidates.union(items.stream().map((item) -> item.candidates(index)).toList());
    }
}
