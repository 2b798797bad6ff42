// SPDX-License-Identifier: Apache-2.0
package io.journal.axon;

import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.journal.streams.Event;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import org.axonframework.eventsourcing.eventstore.TaggedEventMessage;
import org.axonframework.messaging.core.MessageType;
import org.axonframework.messaging.core.QualifiedName;
import org.axonframework.messaging.eventhandling.EventMessage;
import org.axonframework.messaging.eventhandling.GenericEventMessage;
import org.axonframework.messaging.eventhandling.conversion.EventConverter;
import org.axonframework.messaging.eventstreaming.EventCriteria;
import org.axonframework.messaging.eventstreaming.EventCriterion;
import org.axonframework.messaging.eventstreaming.Tag;
import org.jspecify.annotations.Nullable;

/**
 * How Axon's events, tags and criteria are stored. Type and payload are those of the stored event, a tag is
 * {@code key=value}. What else Axon's event has is its metadata: format, sequence in the aggregate, timestamp,
 * identifier, version of the type, and Axon's metadata.
 * <p>
 * Axon's identifier is not the id of the stored event: an append whose id is known succeeds without a check of its
 * conditions, and an identifier need not be a UUID.
 */
final class EventFormat
{
    /** Sequence of an event that belongs to no aggregate. */
    static final long NO_SEQUENCE = -1;

    private static final byte FORMAT = 1;
    /** The type of no event. */
    private static final QualifiedName NO_TYPE = new QualifiedName("io.journal.axon", "none");

    private EventFormat()
    {
    }

    static Event encode(final TaggedEventMessage<?> tagged, final long sequence, final EventConverter converter)
    {
        final EventMessage event = tagged.event();
        final byte[] payload = event.payloadAs(byte[].class, converter);
        if (null == payload)
        {
            throw new IllegalArgumentException("an event needs a payload: type=" + event.type());
        }
        final ByteArrayOutputStream bytes = new ByteArrayOutputStream(128);
        try (DataOutputStream out = new DataOutputStream(bytes))
        {
            out.writeByte(FORMAT);
            out.writeLong(sequence);
            out.writeLong(event.timestamp().getEpochSecond());
            out.writeInt(event.timestamp().getNano());
            write(out, event.identifier());
            write(out, event.type().version());
            out.writeInt(event.metadata().size());
            for (final Map.Entry<String, String> entry : event.metadata().entrySet())
            {
                write(out, entry.getKey());
                out.writeBoolean(null != entry.getValue());
                write(out, Objects.requireNonNullElse(entry.getValue(), ""));
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return new Event(null, event.type().name(), tags(tagged.tags()), payload, bytes.toByteArray());
    }

    /** {@return the sequence of an event in its aggregate, or {@link #NO_SEQUENCE}} */
    static long sequence(final EventView event)
    {
        return parts(event).getLong();
    }

    /** {@return an event with a payload of bytes} */
    static EventMessage message(final EventView event)
    {
        final ByteBuffer parts = parts(event);
        parts.getLong();
        final Instant timestamp = Instant.ofEpochSecond(parts.getLong(), parts.getInt());
        final String identifier = read(parts);
        final MessageType type = new MessageType(event.type(), read(parts));
        final Map<String, @Nullable String> metadata = new HashMap<>();
        for (int left = parts.getInt(); left > 0; left--)
        {
            final String key = read(parts);
            final boolean isPresent = 0 != parts.get();
            final String value = read(parts);
            metadata.put(key, isPresent ? value : null);
        }
        return new GenericEventMessage(identifier, type, event.data(), metadata, timestamp);
    }

    private static ByteBuffer parts(final EventView event)
    {
        final ByteBuffer parts = ByteBuffer.wrap(event.metadata());
        if (!parts.hasRemaining() || FORMAT != parts.get())
        {
            throw new IllegalStateException("not an event of Axon, or of a newer version of journal-axon: position=" +
                event.position() + ", type=" + event.type());
        }
        return parts;
    }

    static Query query(final EventCriteria criteria)
    {
        // Asked, because what is flattened does not tell "every event" from "none", nor "or every event" from nothing.
        if (criteria.matches(NO_TYPE, Set.of()))
        {
            return Query.ALL;
        }
        final List<Query.Item> items = criteria.flatten().stream().map(EventFormat::item).toList();
        return items.isEmpty() ? Query.types(NO_TYPE.name()) : new Query(items);
    }

    private static Query.Item item(final EventCriterion criterion)
    {
        final Set<String> types = criterion.types().stream().map(QualifiedName::name).collect(Collectors.toSet());
        return new Query.Item(types, tags(criterion.tags()));
    }

    private static Set<String> tags(final Set<Tag> tags)
    {
        return tags.stream().map(EventFormat::encode).collect(Collectors.toSet());
    }

    /** With a colon in the key the tag might begin as one of a stream by key does, which is reserved. */
    static String encode(final Tag tag)
    {
        return tag.key().replace("\\", "\\\\").replace("=", "\\=").replace(":", "\\:") + '=' + tag.value();
    }

    static Tag decode(final String tag)
    {
        int end = 0;
        while ('=' != tag.charAt(end))
        {
            end += '\\' == tag.charAt(end) ? 2 : 1;
        }
        return new Tag(tag.substring(0, end).replaceAll("\\\\(.)", "$1"), tag.substring(end + 1));
    }

    private static void write(final DataOutputStream out, final String string) throws IOException
    {
        final byte[] bytes = string.getBytes(StandardCharsets.UTF_8);
        out.writeInt(bytes.length);
        out.write(bytes);
    }

    private static String read(final ByteBuffer parts)
    {
        final byte[] bytes = new byte[parts.getInt()];
        parts.get(bytes);
        return new String(bytes, StandardCharsets.UTF_8);
    }
}
