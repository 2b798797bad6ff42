package io.journal.bench.article;

import java.io.Closeable;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/**
 * Sequential reads through one API of the JDK, by bytes or by arrays; -1 at the end.
 */
public interface Input extends Closeable
{
    int read() throws IOException;

    int read(byte[] target) throws IOException;

    /** A system call per read. */
    record OfRandomAccessFile(RandomAccessFile file) implements Input
    {
        @Override
        public int read() throws IOException
        {
            return file.read();
        }

        @Override
        public int read(final byte[] target) throws IOException
        {
            return file.read(target);
        }

        @Override
        public void close() throws IOException
        {
            file.close();
        }
    }

    /** A stream, buffered or not. */
    record OfStream(InputStream in) implements Input
    {
        @Override
        public int read() throws IOException
        {
            return in.read();
        }

        @Override
        public int read(final byte[] target) throws IOException
        {
            return in.read(target);
        }

        @Override
        public void close() throws IOException
        {
            in.close();
        }
    }

    /** A channel that reads directly into the caller's array. */
    record OfArrays(FileChannel channel) implements Input
    {
        @Override
        public int read() throws IOException
        {
            final byte[] next = new byte[1];
            return read(next) > 0 ? Byte.toUnsignedInt(next[0]) : -1;
        }

        @Override
        public int read(final byte[] target) throws IOException
        {
            return channel.read(ByteBuffer.wrap(target));
        }

        @Override
        public void close() throws IOException
        {
            channel.close();
        }
    }

    /** A channel with a buffer, refilled by a read or by mapping the next piece. */
    final class OfBuffer implements Input
    {
        private static final long PIECE_LENGTH = 1 << 30;

        private final FileChannel channel;
        private final boolean isMapped;
        private ByteBuffer buffer;
        private long mappedPosition;

        private OfBuffer(final FileChannel channel, final ByteBuffer buffer, final boolean isMapped)
        {
            this.channel = channel;
            this.buffer = buffer.flip();
            this.isMapped = isMapped;
        }

        static Input reading(final FileChannel channel, final ByteBuffer buffer)
        {
            return new OfBuffer(channel, buffer, false);
        }

        static Input mapping(final FileChannel channel)
        {
            return new OfBuffer(channel, ByteBuffer.allocate(0), true);
        }

        @Override
        public int read() throws IOException
        {
            return buffer.hasRemaining() || fill() ? Byte.toUnsignedInt(buffer.get()) : -1;
        }

        @Override
        public int read(final byte[] target) throws IOException
        {
            if (!buffer.hasRemaining() && !fill())
            {
                return -1;
            }
            final int count = Math.min(target.length, buffer.remaining());
            buffer.get(target, 0, count);
            return count;
        }

        @Override
        public void close() throws IOException
        {
            channel.close();
        }

        private boolean fill() throws IOException
        {
            if (isMapped)
            {
                final long pieceLength = Math.min(PIECE_LENGTH, channel.size() - mappedPosition);
                if (pieceLength > 0)
                {
                    buffer = channel.map(FileChannel.MapMode.READ_ONLY, mappedPosition, pieceLength);
                    mappedPosition += pieceLength;
                }
                return pieceLength > 0;
            }
            final int count = channel.read(buffer.clear());
            buffer.flip();
            return count > 0;
        }
    }
}
