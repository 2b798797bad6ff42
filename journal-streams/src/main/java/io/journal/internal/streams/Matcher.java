// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntToLongFunction;

import io.journal.streams.Query;
import org.jspecify.annotations.Nullable;

/** What is looked for: candidates by hash, and whether an event really matches any item. Immutable. */
record Matcher(List<Item> items)
{
    private static final Matcher ALL = of((UUID)null);

    /** Answers as {@link Source#find}. */
    interface Lookup
    {
        long find(long key, long from, long to);
    }

    static Matcher of(final Query query)
    {
        final List<Item> items = new ArrayList<>();
        for (final Query.Item item : query.items())
        {
            items.add(new Item(bytes(item.types()), bytes(item.tags()), null));
        }

        return items.isEmpty() ? ALL : new Matcher(items);
    }

    static Matcher of(final @Nullable UUID id)
    {
        return new Matcher(List.of(new Item(List.of(), List.of(), id)));
    }

    private static List<byte[]> bytes(final Set<String> names)
    {
        final List<byte[]> bytes = new ArrayList<>(names.size());
        for (final String name : names)
        {
            bytes.add(Names.bytes(name));
        }

        return bytes;
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

        return false;
    }

    long find(final Lookup index, final long from, final long to)
    {
        return nearest(items.size(), (i) -> items.get(i).find(index, from, to), from <= to);
    }

    private static long nearest(final int count, final IntToLongFunction finder, final boolean isForward)
    {
        long nearest = Source.NONE;
        for (int i = 0; i < count; i++)
        {
            final long found = finder.applyAsLong(i);
            if (Source.NONE != found && (Source.NONE == nearest || isForward == found < nearest))
            {
                nearest = found;
            }
        }

        return nearest;
    }

    /** An item of a query, or an id. An event has at least one key of each array. */
    private static final class Item
    {
        private final List<byte[]> types;
        private final List<byte[]> tags;
        private final @Nullable UUID id;
        private final List<long[]> keys = new ArrayList<>();

        Item(final List<byte[]> types, final List<byte[]> tags, final @Nullable UUID id)
        {
            this.types = types;
            this.tags = tags;
            this.id = id;
            for (final byte[] tag : tags)
            {
                keys.add(new long[]{ Keys.tag(tag) });
            }
            if (!types.isEmpty())
            {
                keys.add(types.stream().mapToLong(Keys::type).toArray());
            }
            if (null != id)
            {
                keys.add(new long[]{ Keys.id(id) });
            }
        }

        boolean matches(final EventRecord event)
        {
            return event.hasTags(tags) && (types.isEmpty() || event.isOfAnyType(types)) &&
                (null == id || id.equals(event.id()));
        }

        /** Each key moves on to where the others are, until none has to. */
        long find(final Lookup index, final long from, final long to)
        {
            long position = from;
            for (int i = 0, agreed = 0; Source.NONE != position && agreed < keys.size(); i = (i + 1) % keys.size())
            {
                final long[] any = keys.get(i);
                final long begin = position;
                final long found = nearest(any.length, (j) -> index.find(any[j], begin, to), from <= to);
                agreed = found == position ? agreed + 1 : 1;
                position = found;
            }

            return position;
        }
    }
}
