// SPDX-License-Identifier: Apache-2.0
package io.journal.store;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.ReadableByteChannel;
import java.nio.channels.WritableByteChannel;
import java.nio.file.Path;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Reads and writes that come up short are continued, and those that make no progress fail. */
class ShortTransferTest
{
    private static final Path PATH = Path.of("file");
    private static final int OFFSET = 7;

    private final byte[] bytes = new byte[1000];

    ShortTransferTest()
    {
        for (int i = 0; i < bytes.length; i++)
        {
            bytes[i] = (byte)(i * 31);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 3, 999, 1000, 5000 })
    void shortWritesAreContinued(final int step) throws IOException
    {
        final ShortChannel channel = new ShortChannel(OFFSET + bytes.length, step, Integer.MAX_VALUE);

        // Not from the beginning of the buffer: what counts is its position.
        final ByteBuffer source = ByteBuffer.allocate(bytes.length + 10).position(10).put(bytes).position(10);
        ReopenedChannel.writeFully(channel, PATH, OFFSET, source);

        assertEquals(source.limit(), source.position());
        assertArrayEquals(bytes, channel.content(OFFSET, bytes.length));
        assertEquals((bytes.length + step - 1) / step, channel.calls);
    }

    @ParameterizedTest
    @ValueSource(ints = { 1, 3, 999, 1000, 5000 })
    void shortReadsAreContinued(final int step) throws IOException
    {
        final ShortChannel channel = new ShortChannel(OFFSET + bytes.length, step, Integer.MAX_VALUE);
        channel.file.put(OFFSET, bytes);

        final ByteBuffer target = ByteBuffer.allocate(bytes.length + 10).position(10);
        ReopenedChannel.readFully(channel, PATH, OFFSET, target);

        final byte[] found = new byte[bytes.length];
        target.get(10, found);
        assertArrayEquals(bytes, found);
        assertEquals((bytes.length + step - 1) / step, channel.calls);
    }

    @Test
    void writeThatMakesNoProgressFails()
    {
        final ShortChannel channel = new ShortChannel(bytes.length, 100, 3);

        final IOException ex = assertThrows(
            IOException.class, () -> ReopenedChannel.writeFully(channel, PATH, 0, ByteBuffer.wrap(bytes)));

        assertTrue(ex.toString().contains("offset=300"), ex::toString);
        assertEquals(4, channel.calls);
    }

    @Test
    void readThatMakesNoProgressFails()
    {
        final ShortChannel channel = new ShortChannel(bytes.length, 100, 3);

        final IOException ex = assertThrows(
            IOException.class,
            () -> ReopenedChannel.readFully(channel, PATH, 0, ByteBuffer.allocate(bytes.length)));

        assertTrue(ex.toString().contains("offset=300"), ex::toString);
        assertEquals(4, channel.calls);
    }

    @Test
    void readBeyondTheEndFails()
    {
        final ShortChannel channel = new ShortChannel(500, 100, Integer.MAX_VALUE);

        assertThrows(
            EOFException.class,
            () -> ReopenedChannel.readFully(channel, PATH, 0, ByteBuffer.allocate(bytes.length)));
    }

    /** Transfers some bytes at a time, and none after some calls. */
    private static final class ShortChannel extends FileChannel
    {
        private final ByteBuffer file;
        private final int step;
        private final int last;
        private int calls;

        ShortChannel(final int length, final int step, final int last)
        {
            file = ByteBuffer.allocate(length);
            this.step = step;
            this.last = last;
        }

        byte[] content(final int offset, final int length)
        {
            final byte[] content = new byte[length];
            file.get(offset, content);
            return content;
        }

        private int count(final ByteBuffer buffer, final long position)
        {
            return ++calls > last ? 0 : (int)Math.min(Math.min(step, buffer.remaining()), file.capacity() - position);
        }

        @Override
        public int read(final ByteBuffer target, final long position)
        {
            final int count = count(target, position);
            if (position == file.capacity())
            {
                return -1;
            }
            target.put(file.slice((int)position, count));
            return count;
        }

        @Override
        public int write(final ByteBuffer source, final long position)
        {
            final int count = count(source, position);
            file.put((int)position, source, source.position(), count);
            source.position(source.position() + count);
            return count;
        }

        @Override
        public int read(final ByteBuffer target)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public long read(final ByteBuffer[] targets, final int offset, final int length)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public int write(final ByteBuffer source)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public long write(final ByteBuffer[] sources, final int offset, final int length)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public long position()
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileChannel position(final long newPosition)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public long size()
        {
            return file.capacity();
        }

        @Override
        public FileChannel truncate(final long size)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public void force(final boolean metaData)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferTo(final long position, final long count, final WritableByteChannel target)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public long transferFrom(final ReadableByteChannel source, final long position, final long count)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public MappedByteBuffer map(final MapMode mode, final long position, final long size)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock lock(final long position, final long size, final boolean shared)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public FileLock tryLock(final long position, final long size, final boolean shared)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        protected void implCloseChannel()
        {
        }
    }
}
