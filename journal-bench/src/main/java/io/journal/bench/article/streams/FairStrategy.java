package io.journal.bench.article.streams;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The original's four ways, each with a buffer of the length asked for between the caller and the operating system, and
 * taking bytes as well as arrays: so what is compared differs in nothing else.
 */
enum FairStrategy
{
    DIRECT
    {
        @Override
        Output output(final Path file, final long length, final int bufferLength) throws IOException
        {
            return new ChannelOutput(create(file), ByteBuffer.allocateDirect(bufferLength));
        }

        @Override
        Input input(final Path file, final int bufferLength) throws IOException
        {
            return new ChannelInput(open(file), ByteBuffer.allocateDirect(bufferLength));
        }
    },

    STREAMS
    {
        @Override
        Output output(final Path file, final long length, final int bufferLength) throws IOException
        {
            return new StreamOutput(new FileOutputStream(file.toFile()), bufferLength);
        }

        @Override
        Input input(final Path file, final int bufferLength) throws IOException
        {
            return new StreamInput(new BufferedInputStream(new FileInputStream(file.toFile()), bufferLength));
        }
    },

    INDIRECT
    {
        @Override
        Output output(final Path file, final long length, final int bufferLength) throws IOException
        {
            return new ChannelOutput(create(file), ByteBuffer.allocate(bufferLength));
        }

        @Override
        Input input(final Path file, final int bufferLength) throws IOException
        {
            return new ChannelInput(open(file), ByteBuffer.allocate(bufferLength));
        }
    },

    MMAP
    {
        @Override
        Output output(final Path file, final long length, final int bufferLength) throws IOException
        {
            return new MappedOutput(create(file), length);
        }

        @Override
        Input input(final Path file, final int bufferLength) throws IOException
        {
            return new MappedInput(open(file));
        }
    };

    /**
     * @param length that will be written, no more and no less.
     */
    abstract Output output(Path file, long length, int bufferLength) throws IOException;

    abstract Input input(Path file, int bufferLength) throws IOException;

    private static FileChannel create(final Path file) throws IOException
    {
        return FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static FileChannel open(final Path file) throws IOException
    {
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    /** A stream and its buffer. */
    private static final class StreamOutput implements Output
    {
        private final FileOutputStream file;
        private final OutputStream out;

        StreamOutput(final FileOutputStream file, final int bufferLength)
        {
            this.file = file;
            this.out = new BufferedOutputStream(file, bufferLength);
        }

        @Override
        public void write(final byte next) throws IOException
        {
            out.write(next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            out.write(source, offset, count);
        }

        @Override
        public void force() throws IOException
        {
            out.flush();
            file.getFD().sync();
        }

        @Override
        public void close() throws IOException
        {
            out.close();
        }
    }

    /** A stream and its buffer. */
    private record StreamInput(InputStream in) implements Input
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

    /** A channel that is written to when its buffer is full. */
    private record ChannelOutput(FileChannel channel, ByteBuffer buffer) implements Output
    {
        @Override
        public void write(final byte next) throws IOException
        {
            if (!buffer.hasRemaining())
            {
                drain();
            }
            buffer.put(next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            if (buffer.remaining() < count)
            {
                drain();
            }
            buffer.put(source, offset, count);
        }

        @Override
        public void force() throws IOException
        {
            drain();
            channel.force(true);
        }

        @Override
        public void close() throws IOException
        {
            try (channel)
            {
                drain();
            }
        }

        private void drain() throws IOException
        {
            buffer.flip();
            while (buffer.hasRemaining())
            {
                channel.write(buffer);
            }
            buffer.clear();
        }
    }

    /** A channel that is read from when its buffer is empty. */
    private static final class ChannelInput implements Input
    {
        private final FileChannel channel;
        private final ByteBuffer buffer;

        ChannelInput(final FileChannel channel, final ByteBuffer buffer)
        {
            this.channel = channel;
            this.buffer = buffer.flip();
        }

        @Override
        public int read() throws IOException
        {
            return buffer.hasRemaining() || fill() ? buffer.get() & 0xFF : -1;
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
            final int count = channel.read(buffer.clear());
            buffer.flip();
            return count > 0;
        }
    }
}
