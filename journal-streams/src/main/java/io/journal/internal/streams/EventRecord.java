// SPDX-License-Identifier: Apache-2.0
package io.journal.internal.streams;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

import io.journal.CorruptJournalException;
import io.journal.JournalAppender;
import io.journal.RecordHandler;
import io.journal.streams.Event;
import io.journal.streams.EventView;
import io.journal.streams.Query;
import org.agrona.DirectBuffer;
import org.jspecify.annotations.Nullable;

/**
 * An event as a record, little-endian; the record's tag in the journal is the time in microseconds since 1970:
 * <pre>
 *  0  format: 0xE1
 *  1  flags: 1 with an id, 2 of a stream
 *  2  number of names, 2 bytes: the type, then the tags, first that of the stream
 *  4  length of the metadata
 *  8  id (16 bytes), version (8 bytes), names (each after its length, 2 bytes), metadata, data
 * </pre>
 */
public final class EventRecord implements EventView
{
    private static final byte FORMAT = (byte)0xE1;
    private static final int ID = 1;
    private static final int STREAM = 2;
    private static final int MAX_LENGTH = 16 * 1024 * 1024;

    private static final int FLAGS_OFFSET = 1;
    private static final int NAME_COUNT_OFFSET = 2;
    private static final int METADATA_LENGTH_OFFSET = 4;
    private static final int ID_OFFSET = 8;
    private static final int ID_LENGTH = 16;
    private static final DirectBuffer NO_RECORD = JournalAppender.wrap(new byte[0]);

    // Set by wrap(), which is called before anything else.
    private DirectBuffer buffer = NO_RECORD;
    private long position;
    private long timeUs;
    private int flags;
    private int idOffset;
    private int versionOffset;
    // Where each name begins, after its length.
    private int[] names = new int[8];
    private int nameCount;
    private int metadataOffset;
    private int dataOffset;
    private int end;

    /** The record of an event; {@link #putVersion} completes it if it is of a stream. */
    static byte[] encode(final Event event, final @Nullable String streamTag)
    {
        final List<byte[]> names = new ArrayList<>();
        names.add(Names.bytes(event.type()));
        if (null != streamTag)
        {
            names.add(Names.bytes(streamTag));
        }
        event.tags().forEach((tag) -> names.add(Names.bytes(tag)));
        final UUID id = event.id();
        long length = ID_OFFSET + (null == id ? 0 : ID_LENGTH) + (null == streamTag ? 0 : Long.BYTES) +
            (long)event.metadata().length + event.data().length;
        for (final byte[] name : names)
        {
            length += Short.BYTES + name.length;
        }
        if (length > MAX_LENGTH)
        {
            throw new IllegalArgumentException("event too long: length=" + length + ", maxLength=" + MAX_LENGTH);
        }

        final ByteBuffer record = ByteBuffer.allocate((int)length).order(ByteOrder.LITTLE_ENDIAN);
        record.put(FORMAT).put((byte)((null == id ? 0 : ID) | (null == streamTag ? 0 : STREAM)));
        record.putShort((short)names.size()).putInt(event.metadata().length);
        if (null != id)
        {
            record.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        }
        if (null != streamTag)
        {
            record.putLong(0);
        }
        names.forEach((name) -> record.putShort((short)name.length).put(name));

        return record.put(event.metadata()).put(event.data()).array();
    }

    /** {@return the event in a record, valid as long as the record; null if it is no event} */
    public static @Nullable EventView decode(
        final DirectBuffer source, final int start, final int length, final RecordHandler.Header header)
    {
        try
        {
            return new EventRecord().wrap(source, start, length, header);
        }
        catch (final CorruptJournalException ex)
        {
            return null;
        }
    }

    EventRecord wrap(final DirectBuffer source, final int start, final int length, final RecordHandler.Header header)
    {
        return wrap(source, start, length, header.sequence(), header.tag());
    }

    EventRecord wrap(
        final DirectBuffer source, final int start, final int length, final long sequence, final long tag)
    {
        buffer = source;
        position = sequence;
        timeUs = tag;
        end = start + length;
        check(length >= ID_OFFSET && FORMAT == source.getByte(start));
        flags = source.getByte(start + FLAGS_OFFSET);
        nameCount = unsignedShort(start + NAME_COUNT_OFFSET);
        check(nameCount > (isOfStream() ? 1 : 0));
        idOffset = start + ID_OFFSET;
        versionOffset = idOffset + (hasId() ? ID_LENGTH : 0);
        if (nameCount > names.length)
        {
            names = new int[nameCount];
        }
        int next = versionOffset + (isOfStream() ? Long.BYTES : 0);
        for (int i = 0; i < nameCount; i++)
        {
            names[i] = next + Short.BYTES;
            check(names[i] <= end);
            next = names[i] + nameLength(i);
        }
        metadataOffset = next;
        final int metadataLength = source.getInt(start + METADATA_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
        check(metadataLength >= 0 && metadataLength <= end - next);
        dataOffset = metadataOffset + metadataLength;

        return this;
    }

    private void check(final boolean isAsExpected)
    {
        if (!isAsExpected)
        {
            throw new CorruptJournalException(
                "the record is no event: sequence=" + position +
                    "; the journal of an event store holds nothing else, " +
                    "or it was written by a newer version",
                null, null, CorruptJournalException.UNKNOWN, position);
        }
    }

    private int unsignedShort(final int index)
    {
        return buffer.getShort(index, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private int nameLength(final int name)
    {
        return unsignedShort(names[name] - Short.BYTES);
    }

    private boolean hasId()
    {
        return 0 != (flags & ID);
    }

    private boolean isOfStream()
    {
        return 0 != (flags & STREAM);
    }

    boolean isOfAnyType(final List<byte[]> types)
    {
        for (final byte[] type : types)
        {
            if (isName(0, type))
            {
                return true;
            }
        }

        return false;
    }

    boolean hasTags(final List<byte[]> tags)
    {
        for (final byte[] tag : tags)
        {
            int name = nameCount - 1;
            while (name > 0 && !isName(name, tag))
            {
                name--;
            }
            if (0 == name)
            {
                return false;
            }
        }

        return true;
    }

    private boolean isName(final int name, final byte[] bytes)
    {
        if (bytes.length != nameLength(name))
        {
            return false;
        }
        for (int i = 0; i < bytes.length; i++)
        {
            if (bytes[i] != buffer.getByte(names[name] + i))
            {
                return false;
            }
        }

        return true;
    }

    /** Hashes of everything that the event is found by. */
    long[] keys()
    {
        final UUID id = id();
        final long[] keys = new long[nameCount + (null == id ? 0 : 1)];
        for (int i = 0; i < nameCount; i++)
        {
            keys[i] = Keys.hash(buffer, names[i], nameLength(i), 0 == i ? Keys.TYPE : Keys.TAG);
        }
        if (null != id)
        {
            keys[nameCount] = Keys.id(id);
        }

        return keys;
    }

    /** Puts the version into the record that this was wrapped around. */
    void putVersion(final byte[] record, final long version)
    {
        JournalAppender.wrap(record).putLong(versionOffset, version, ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public long position()
    {
        return position;
    }

    @Override
    public Instant time()
    {
        return Instant.EPOCH.plus(timeUs, ChronoUnit.MICROS);
    }

    @Override
    public String type()
    {
        return name(0);
    }

    @Override
    public Set<String> tags()
    {
        final Set<String> tags = new LinkedHashSet<>();
        for (int i = isOfStream() ? 2 : 1; i < nameCount; i++)
        {
            tags.add(name(i));
        }

        return tags;
    }

    private String name(final int name)
    {
        return new String(bytes(names[name], nameLength(name)), StandardCharsets.UTF_8);
    }

    @Override
    public @Nullable UUID id()
    {
        return hasId() ? new UUID(
            buffer.getLong(idOffset, ByteOrder.LITTLE_ENDIAN),
            buffer.getLong(idOffset + Long.BYTES, ByteOrder.LITTLE_ENDIAN)) : null;
    }

    @Override
    public @Nullable String stream()
    {
        return isOfStream() ? name(1).substring(Query.STREAM_PREFIX.length()) : null;
    }

    @Override
    public long version()
    {
        return isOfStream() ? buffer.getLong(versionOffset, ByteOrder.LITTLE_ENDIAN) : 0;
    }

    @Override
    public DirectBuffer buffer()
    {
        return buffer;
    }

    @Override
    public int offset()
    {
        return dataOffset;
    }

    @Override
    public int length()
    {
        return end - dataOffset;
    }

    @Override
    public byte[] data()
    {
        return bytes(dataOffset, end - dataOffset);
    }

    @Override
    public byte[] metadata()
    {
        return bytes(metadataOffset, dataOffset - metadataOffset);
    }

    private byte[] bytes(final int index, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return bytes;
    }

    @Override
    public String toString()
    {
        return "Event{position=" + position + ", type=" + type() + ", tags=" + tags() + ", stream=" + stream() +
            ", version=" + version() + ", id=" + id() + ", length=" + length() + '}';
    }
}
