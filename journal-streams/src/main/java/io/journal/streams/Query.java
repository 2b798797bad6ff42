// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.journal.internal.streams.Names;

/**
 * Matches an event that matches any item; without items, every event. Matching compares types and tags, not hashes.
 *
 * @param items of the query, at most {@link #MAX_ITEMS}.
 */
public record Query(List<Item> items)
{
    /** Matches every event. */
    public static final Query ALL = new Query(List.of());

    /** A stream by key is found by the tag that begins so and ends with the key. */
    public static final String STREAM_PREFIX = "stream:";

    /** Maximum number of items, and of names in each set of an item. */
    public static final int MAX_ITEMS = 1000;

    /**
     * Matches an event that has one of the types and all of the tags. An empty set demands nothing.
     *
     * @param types of which the event has one.
     * @param tags  that the event has.
     */
    public record Item(Set<String> types, Set<String> tags)
    {
        /**
         * An item of types and tags.
         *
         * @param types of which the event has one.
         * @param tags  that the event has.
         * @throws IllegalArgumentException if a name is empty, too long or no valid Unicode, or there are too many.
         */
        public Item
        {
            types = Names.checkAll("type", types, MAX_ITEMS);
            tags = Names.checkAll("tag", tags, MAX_ITEMS);
        }
    }

    /**
     * A query of items.
     *
     * @param items of the query.
     * @throws IllegalArgumentException if there are too many.
     */
    public Query
    {
        items = List.copyOf(Objects.requireNonNull(items, "items"));
        if (items.size() > MAX_ITEMS)
        {
            throw new IllegalArgumentException("too many items: count=" + items.size() + ", maximum=" + MAX_ITEMS);
        }
    }

    /**
     * {@return a query for events that have all of the tags}
     *
     * @param tags of the events.
     */
    public static Query tags(final String... tags)
    {
        return of(Set.of(), Set.of(tags));
    }

    /**
     * {@return a query for events that have one of the types}
     *
     * @param types of the events.
     */
    public static Query types(final String... types)
    {
        return of(Set.of(types), Set.of());
    }

    /**
     * {@return a query for events that have one of the types and all of the tags}
     *
     * @param types of the events.
     * @param tags  of the events.
     */
    public static Query of(final Set<String> types, final Set<String> tags)
    {
        return new Query(List.of(new Item(types, tags)));
    }

    /**
     * {@return a query for the events of a stream}
     *
     * @param key of the stream.
     */
    public static Query stream(final String key)
    {
        return tags(STREAM_PREFIX + key);
    }

    /**
     * {@return a query for events that match this query or another one}
     *
     * @param other query.
     */
    public Query or(final Query other)
    {
        if (items.isEmpty() || other.items.isEmpty())
        {
            return ALL;
        }

        final List<Item> all = new ArrayList<>(items);
        all.addAll(other.items);
        return new Query(all);
    }
}
