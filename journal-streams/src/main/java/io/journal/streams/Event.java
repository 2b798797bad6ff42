// SPDX-License-Identifier: Apache-2.0
package io.journal.streams;

import java.util.Arrays;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;

import io.journal.internal.streams.Names;
import org.jspecify.annotations.Nullable;

/**
 * An event to append. Data and metadata are bytes that the store does not interpret; the arrays are not copied. An
 * event, with its names, takes at most 16 MiB, and less if the journal limits its records further.
 *
 * @param id       makes appending idempotent: see {@link EventStreams#append}; null if it need not be.
 * @param type     1 to {@link #MAX_NAME_LENGTH} characters.
 * @param tags     at most {@link #MAX_TAGS}, each 1 to {@link #MAX_NAME_LENGTH} characters, none beginning with
 *                 {@link Query#STREAM_PREFIX}.
 * @param data     of the event.
 * @param metadata of the event, such as its cause.
 */
public record Event(@Nullable UUID id, String type, Set<String> tags, byte[] data, byte[] metadata)
{
    /** Maximum length of a type or tag, in characters. */
    public static final int MAX_NAME_LENGTH = 1024;

    /** Maximum number of tags of an event. */
    public static final int MAX_TAGS = 1000;

    private static final byte[] NO_BYTES = {};

    /**
     * An event of all its parts.
     *
     * @param id       of the event, or null.
     * @param type     of the event.
     * @param tags     of the event.
     * @param data     of the event.
     * @param metadata of the event.
     * @throws IllegalArgumentException if a name is empty, too long or no valid Unicode, or there are too many tags.
     */
    public Event
    {
        Names.check("type", type);
        tags = Names.checkAll("tag", tags, MAX_TAGS);
        for (final String tag : tags)
        {
            if (tag.startsWith(Query.STREAM_PREFIX))
            {
                throw new IllegalArgumentException("reserved for streams by key, see appendTo: tag=" + tag);
            }
        }
        Objects.requireNonNull(data, "data");
        Objects.requireNonNull(metadata, "metadata");
    }

    /**
     * An event without an id and metadata.
     *
     * @param type of the event.
     * @param tags of the event.
     * @param data of the event.
     */
    public Event(final String type, final Set<String> tags, final byte[] data)
    {
        this(null, type, tags, data, NO_BYTES);
    }

    /**
     * {@return this event with an id}
     *
     * @param newId of the event.
     */
    public Event withId(final UUID newId)
    {
        return new Event(newId, type, tags, data, metadata);
    }

    @Override
    public boolean equals(final @Nullable Object other)
    {
        return other instanceof Event && Objects.equals(id, ((Event)other).id) && type.equals(((Event)other).type) &&
            tags.equals(((Event)other).tags) && Arrays.equals(data, ((Event)other).data) &&
            Arrays.equals(metadata, ((Event)other).metadata);
    }

    @Override
    public int hashCode()
    {
        return Objects.hash(id, type, tags, Arrays.hashCode(data), Arrays.hashCode(metadata));
    }

    @Override
    public String toString()
    {
        return "Event{id=" + id + ", type=" + type + ", tags=" + tags + ", length=" + data.length + '}';
    }
}
