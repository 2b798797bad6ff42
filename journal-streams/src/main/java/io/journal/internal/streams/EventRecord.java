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
 *  2  number of tags, 2 bytes; the first is that of the stream
 *  4  length of the tags
 *  8  length of the metadata
 * 12  length of the type, 2 bytes
 * 14  type, id (16 bytes), version (8 bytes), tags (each after its length, 2 bytes), metadata, data
 * </pre>
 */
public final class EventRecord implements EventView
{
    private static final byte FORMAT = (byte)0xE1;
    private static final int ID = 1;
    private static final int STREAM = 2;
    private static final int MAX_LENGTH = 16 * 1024 * 1024;

    private static final int FLAGS_OFFSET = 1;
    private static final int TAG_COUNT_OFFSET = 2;
    private static final int TAGS_LENGTH_OFFSET = 4;
    private static final int METADATA_LENGTH_OFFSET = 8;
    private static final int TYPE_LENGTH_OFFSET = 12;
    private static final int TYPE_OFFSET = 14;
    private static final int ID_LENGTH = 16;

    // Set by wrap(), which is called before anything else.
    private DirectBuffer buffer = JournalAppender.wrap(new byte[0]);
    private long position;
    private long timeUs;
    private int offset;
    private int flags;
    private int typeLength;
    private int tagCount;
    // Where the text of each tag begins.
    private int[] tagOffsets = new int[8];
    private int metadataOffset;
    private int dataOffset;
    private int end;

    /** The record of an event; {@link #putVersion} completes it if it is of a stream. */
    static byte[] encode(final Event event, final @Nullable String streamTag)
    {
        final byte[] type = Names.bytes(event.type());
        final List<byte[]> tags = new ArrayList<>();
        if (null != streamTag)
        {
            tags.add(Names.bytes(streamTag));
        }
        event.tags().forEach((tag) -> tags.add(Names.bytes(tag)));
        final int tagsLength = tags.stream().mapToInt((tag) -> Short.BYTES + tag.length).sum();
        final UUID id = event.id();
        final long length = (long)TYPE_OFFSET + type.length + (null == id ? 0 : ID_LENGTH) +
            (null == streamTag ? 0 : Long.BYTES) + tagsLength + event.metadata().length + event.data().length;
        if (length > MAX_LENGTH)
        {
            throw new IllegalArgumentException("event too long: length=" + length + ", maxLength=" + MAX_LENGTH);
        }

        final ByteBuffer record = ByteBuffer.allocate((int)length).order(ByteOrder.LITTLE_ENDIAN);
        record.put(FORMAT).put((byte)((null == id ? 0 : ID) | (null == streamTag ? 0 : STREAM)));
        record.putShort((short)tags.size()).putInt(tagsLength).putInt(event.metadata().length);
        record.putShort((short)type.length).put(type);
        if (null != id)
        {
            record.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        }
        if (null != streamTag)
        {
            record.putLong(0);
        }
        tags.forEach((tag) -> record.putShort((short)tag.length).put(tag));

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
        offset = start;
        position = sequence;
        timeUs = tag;
        end = start + length;
        check(length >= TYPE_OFFSET && FORMAT == source.getByte(start));
        flags = source.getByte(start + FLAGS_OFFSET);
        tagCount = unsignedShort(start + TAG_COUNT_OFFSET);
        typeLength = unsignedShort(start + TYPE_LENGTH_OFFSET);
        final int tagsOffset =
            start + TYPE_OFFSET + typeLength + (hasId() ? ID_LENGTH : 0) + (isOfStream() ? Long.BYTES : 0);
        final long tagsLength = source.getInt(start + TAGS_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
        final long metadataLength = source.getInt(start + METADATA_LENGTH_OFFSET, ByteOrder.LITTLE_ENDIAN);
        check(tagsLength >= 0 && metadataLength >= 0 && tagsOffset + tagsLength + metadataLength <= end);
        metadataOffset = tagsOffset + (int)tagsLength;
        dataOffset = metadataOffset + (int)metadataLength;
        if (tagCount > tagOffsets.length)
        {
            tagOffsets = new int[tagCount];
        }
        int next = tagsOffset;
        for (int i = 0; i < tagCount; i++)
        {
            check(next + Short.BYTES <= metadataOffset);
            tagOffsets[i] = next + Short.BYTES;
            next = tagOffsets[i] + tagLength(i);
        }
        check(next == metadataOffset && (tagCount > 0 || !isOfStream()));

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

    private int tagLength(final int tag)
    {
        return unsignedShort(tagOffsets[tag] - Short.BYTES);
    }

    private int unsignedShort(final int index)
    {
        return buffer.getShort(index, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private boolean hasId()
    {
        return 0 != (flags & ID);
    }

    private boolean isOfStream()
    {
        return 0 != (flags & STREAM);
    }

    boolean hasType(final byte[] type)
    {
        return typeLength == type.length && equal(offset + TYPE_OFFSET, type);
    }

    boolean hasTag(final byte[] tag)
    {
        for (int i = 0; i < tagCount; i++)
        {
            if (tagLength(i) == tag.length && equal(tagOffsets[i], tag))
            {
                return true;
            }
        }

        return false;
    }

    private boolean equal(final int index, final byte[] bytes)
    {
        for (int i = 0; i < bytes.length; i++)
        {
            if (bytes[i] != buffer.getByte(index + i))
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
        final long[] keys = new long[1 + tagCount + (null == id ? 0 : 1)];
        keys[0] = Keys.hash(buffer, offset + TYPE_OFFSET, typeLength, Keys.TYPE);
        for (int i = 0; i < tagCount; i++)
        {
            keys[1 + i] = Keys.hash(buffer, tagOffsets[i], tagLength(i), Keys.TAG);
        }
        if (null != id)
        {
            keys[1 + tagCount] = Keys.id(id);
        }

        return keys;
    }

    private long idPart(final int part)
    {
        return buffer.getLong(offset + TYPE_OFFSET + typeLength + part, ByteOrder.LITTLE_ENDIAN);
    }

    /** Puts the version into the record that this was wrapped around. */
    void putVersion(final byte[] record, final long version)
    {
        JournalAppender.wrap(record).putLong(versionOffset(), version, ByteOrder.LITTLE_ENDIAN);
    }

    private int versionOffset()
    {
        return tagOffsets[0] - Short.BYTES - Long.BYTES;
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
        return text(offset + TYPE_OFFSET, typeLength);
    }

    @Override
    public Set<String> tags()
    {
        final Set<String> tags = new LinkedHashSet<>();
        for (int i = isOfStream() ? 1 : 0; i < tagCount; i++)
        {
            tags.add(text(tagOffsets[i], tagLength(i)));
        }

        return tags;
    }

    @Override
    public @Nullable UUID id()
    {
        return hasId() ? new UUID(idPart(0), idPart(Long.BYTES)) : null;
    }

    @Override
    public @Nullable String stream()
    {
        return isOfStream() ? text(tagOffsets[0], tagLength(0)).substring(Query.STREAM_PREFIX.length()) : null;
    }

    @Override
    public long version()
    {
        return isOfStream() ? buffer.getLong(versionOffset(), ByteOrder.LITTLE_ENDIAN) : 0;
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

    @Override
    public String toString()
    {
        return "Event{position=" + position + ", type=" + type() + ", tags=" + tags() + ", stream=" + stream() +
            ", version=" + version() + ", id=" + id() + ", length=" + length() + '}';
    }

    private String text(final int index, final int length)
    {
        return new String(bytes(index, length), StandardCharsets.UTF_8);
    }

    private byte[] bytes(final int index, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(index, bytes);
        return bytes;
    }
}
