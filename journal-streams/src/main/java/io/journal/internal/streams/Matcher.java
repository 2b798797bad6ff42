// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.LongFunction;

import io.journal.streams.Query;

/** What is looked for: candidates by hash, and whether an event really matches. Immutable. */
interface Matcher
{
    boolean matches(EventRecord event);

    /** @param index the candidates of a key. */
    Candidates candidates(LongFunction<Candidates> index);

    static Matcher of(final Query query)
    {
        return query.items().isEmpty() ? new Item(Set.of(), Set.of(), Set.of()) :
            new AnyOf(query.items().stream().map(Item::new).toList());
    }

    static Matcher of(final UUID id)
    {
        return new Id(id);
    }

    /** Events that match any item. */
    record AnyOf(List<Item> items) implements Matcher
    {
        @Override
        public boolean matches(final EventRecord event)
        {
            return items.stream().anyMatch((item) -> item.matches(event));
        }

        @Override
        public Candidates candidates(final LongFunction<Candidates> index)
        {
            return Candidates.union(items.stream().map((item) -> item.candidates(index)).toList());
        }
    }

    /** An event with an id. */
    record Id(UUID id) implements Matcher
    {
        @Override
        public boolean matches(final EventRecord event)
        {
            return id.equals(event.id());
        }

        @Override
        public Candidates candidates(final LongFunction<Candidates> index)
        {
            return index.apply(Keys.id(id.getMostSignificantBits(), id.getLeastSignificantBits()));
        }
    }

    /** An item of a query, its names as bytes. */
    record Item(List<byte[]> types, List<byte[]> tags, List<byte[]> excludedTypes) implements Matcher
    {
        Item(final Query.Item item)
        {
            this(item.types(), item.tags(), item.excludedTypes());
        }

        Item(final Set<String> types, final Set<String> tags, final Set<String> excludedTypes)
        {
            this(bytes(types), bytes(tags), bytes(excludedTypes));
        }

        private static List<byte[]> bytes(final Set<String> names)
        {
            return names.stream().map(Names::bytes).toList();
        }

        @Override
        public boolean matches(final EventRecord event)
        {
            return tags.stream().allMatch(event::hasTag) &&
                (types.isEmpty() || types.stream().anyMatch(event::hasType)) &&
                excludedTypes.stream().noneMatch(event::hasType);
        }

        @Override
        public Candidates candidates(final LongFunction<Candidates> index)
        {
            final List<Candidates> all = new ArrayList<>();
            tags.forEach((tag) -> all.add(index.apply(Keys.tag(tag))));
            if (!types.isEmpty())
            {
                all.add(Candidates.union(types.stream().map((type) -> index.apply(Keys.type(type))).toList()));
            }

            return all.isEmpty() ? Candidates.ALL : Candidates.intersection(all);
        }
    }
}
