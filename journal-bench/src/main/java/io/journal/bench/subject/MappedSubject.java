// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

import org.agrona.IoUtil;

/**
 * Copies records into mapped files, with or without a checksum, which is about the lower bound for a mapped journal.
 * Files are filled with zeros before they are mapped; the first file is also touched.
 */
final class MappedSubject implements Subject
{
    private static final int HEADER_LENGTH = 2 * Integer.BYTES;
    private static final int ALIGNMENT = 8;
    private static final int PAGE_LENGTH = 4096;

    private final Setup setup;
    private final boolean isChecked;
    private final CRC32C crc = new CRC32C();
    private final List<MappedByteBuffer> segments = new ArrayList<>();
    private MappedByteBuffer segment;
    private ByteBuffer checked;
    private int tail;

    MappedSubject(final Setup setup) throws IOException
    {
        this.setup = setup;
        isChecked = setup.args().is("checksum");
        nextSegment();
        segment.force();
        touch(segment);
    }

    /** Writes to each page, so that no page has to be mapped, or made writable, when records are copied. */
    private static void touch(final ByteBuffer written)
    {
        for (int offset = 0; offset < written.capacity(); offset += PAGE_LENGTH)
        {
            written.put(offset, (byte)0);
        }
    }

    private void nextSegment() throws IOException
    {
        try (FileChannel channel = FileChannel.open(
            setup.directory().resolve("segment-" + segments.size()), StandardOpenOption.CREATE,
            StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            IoUtil.fill(channel, 0, setup.segmentLength(), (byte)0);
            segment = channel.map(FileChannel.MapMode.READ_WRITE, 0, setup.segmentLength());
        }
        segment.order(ByteOrder.LITTLE_ENDIAN);
        checked = segment.duplicate();
        segments.add(segment);
        tail = 0;
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length) throws IOException
    {
        // One more header stays zero: the end of the segment's records.
        if (tail + HEADER_LENGTH + length + ALIGNMENT + HEADER_LENGTH > segment.capacity())
        {
            nextSegment();
        }
        segment.put(tail + HEADER_LENGTH, bytes, offset, length);
        if (isChecked)
        {
            segment.putInt(tail + Integer.BYTES, checksum(checked, tail + HEADER_LENGTH, length));
        }
        segment.putInt(tail, length);
        tail = end(tail, length);
    }

    private static int end(final int offset, final int length)
    {
        return offset + HEADER_LENGTH + length + ALIGNMENT - 1 & -ALIGNMENT;
    }

    private int checksum(final ByteBuffer buffer, final int offset, final int length)
    {
        crc.reset();
        crc.update(buffer.limit(offset + length).position(offset));
        return (int)crc.getValue();
    }

    @Override
    public synchronized void appendDurably(final byte[] bytes, final int offset, final int length) throws IOException
    {
        append(bytes, offset, length);
        final int from = tail - HEADER_LENGTH - length - ALIGNMENT;
        segment.force(Math.max(0, from), tail - Math.max(0, from));
    }

    @Override
    public void replay(final Visitor visitor)
    {
        for (final MappedByteBuffer each : segments)
        {
            replay(each, each.duplicate(), visitor);
        }
    }

    private void replay(final MappedByteBuffer read, final ByteBuffer verified, final Visitor visitor)
    {
        int offset = 0;
        for (int length = read.getInt(0); length > 0; length = read.getInt(offset))
        {
            final int start = offset + HEADER_LENGTH;
            if (isChecked && read.getInt(offset + Integer.BYTES) != checksum(verified, start, length))
            {
                throw new IllegalStateException("wrong checksum: offset=" + offset);
            }
            visitor.visit(read.getLong(start), read.getLong(start + length - Long.BYTES), length);
            offset = end(offset, length);
        }
    }

    @Override
    public void close()
    {
        segments.clear();
    }
}
