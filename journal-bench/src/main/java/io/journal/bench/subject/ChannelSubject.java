// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.subject;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

import org.agrona.IoUtil;

/**
 * Writes a length and a record with one write each, into a file that was filled with zeros before. There is one file,
 * whatever the segment length.
 */
final class ChannelSubject implements Subject
{
    private static final int READ_LENGTH = 1024 * 1024;

    private final FileChannel channel;
    private final ByteBuffer buffer;
    private long position;

    ChannelSubject(final Setup setup) throws IOException
    {
        final Path file = setup.directory().resolve("records");
        channel = FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
        IoUtil.fill(channel, 0, setup.segmentLength(), (byte)0);
        channel.force(true);
        buffer = ByteBuffer.allocateDirect(Integer.BYTES + setup.recordLength()).order(ByteOrder.LITTLE_ENDIAN);
    }

    @Override
    public void append(final byte[] bytes, final int offset, final int length) throws IOException
    {
        buffer.clear();
        buffer.putInt(length).put(bytes, offset, length).flip();
        while (buffer.hasRemaining())
        {
            position += channel.write(buffer, position);
        }
    }

    @Override
    public synchronized void appendDurably(final byte[] bytes, final int offset, final int length) throws IOException
    {
        append(bytes, offset, length);
        channel.force(false);
    }

    @Override
    public void replay(final Visitor visitor) throws IOException
    {
        final ByteBuffer read = ByteBuffer.allocateDirect(READ_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
        long next = 0;
        while (next < position)
        {
            read.clear();
            channel.read(read, next);
            read.flip();
            next += visitAll(read, (int)Math.min(position - next, read.limit()), visitor);
        }
    }

    /** Visits the complete records of a buffer, and returns their end. */
    private static int visitAll(final ByteBuffer read, final int limit, final Visitor visitor)
    {
        int offset = 0;
        while (offset + Integer.BYTES <= limit)
        {
            final int length = read.getInt(offset);
            final int end = offset + Integer.BYTES + length;
            if (end > limit)
            {
                break;
            }
            visitor.visit(read.getLong(offset + Integer.BYTES), read.getLong(end - Long.BYTES), length);
            offset = end;
        }
        return offset;
    }

    @Override
    public void close() throws IOException
    {
        channel.close();
    }
}
