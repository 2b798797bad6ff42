package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * Ways that all move the same array of a page: what differs between them is only how it gets to the file.
 */
enum ArrayStrategy
{
    RANDOM_ACCESS_FILE
    {
        @Override
        Sink sink(final Path file, final long length, final int pageLength) throws IOException
        {
            final RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
            return new Sink(opened, (page, count) -> opened.write(page, 0, count));
        }

        @Override
        Source source(final Path file, final int pageLength) throws IOException
        {
            final RandomAccessFile opened = new RandomAccessFile(file.toFile(), "r");
            return new Source(opened, opened::read);
        }
    },

    /** Cuts the file to nothing first, as a stream of a file's name does. */
    STREAM_TRUNCATING
    {
        @Override
        Sink sink(final Path file, final long length, final int pageLength) throws IOException
        {
            final OutputStream out = new FileOutputStream(file.toFile());
            return new Sink(out, (page, count) -> out.write(page, 0, count));
        }

        @Override
        Source source(final Path file, final int pageLength) throws IOException
        {
            final InputStream in = new FileInputStream(file.toFile());
            return new Source(in, in::read);
        }
    },

    /** A stream that overwrites, of a descriptor. */
    STREAM
    {
        @Override
        Sink sink(final Path file, final long length, final int pageLength) throws IOException
        {
            final RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
            final OutputStream out = new FileOutputStream(opened.getFD());
            return new Sink(opened, (page, count) -> out.write(page, 0, count));
        }

        @Override
        Source source(final Path file, final int pageLength) throws IOException
        {
            return STREAM_TRUNCATING.source(file, pageLength);
        }
    },

    /** An overwriting stream behind a buffer of twice a page, so that it buffers indeed. */
    BUFFERED_STREAM
    {
        @Override
        Sink sink(final Path file, final long length, final int pageLength) throws IOException
        {
            final RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
            final OutputStream out = new BufferedOutputStream(new FileOutputStream(opened.getFD()), 2 * pageLength);
            return new Sink(
                () ->
                {
                    out.flush();
                    opened.close();
                },
                (page, count) -> out.write(page, 0, count));
        }

        @Override
        Source source(final Path file, final int pageLength) throws IOException
        {
            final InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()), 2 * pageLength);
            return new Source(in, in::read);
        }
    },

    CHANNEL_HEAP
    {
        @Override
        Sink sink(final Path file, final long length, final int pageLength) throws IOException
        {
            final FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            return new Sink(channel, (page, count) -> writeAll(channel, ByteBuffer.wrap(page, 0, count)));
        }

        @Override
        Source source(final Path file, final int pageLength) throws IOException
        {
            final FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            return new Source(channel, (page) -> channel.read(ByteBuffer.wrap(page)));
        }
    },

    CHANNEL_DIRECT
    {
        @Override
        Sink sink(final Path file, final long length, final int pageLength) throws IOException
        {
            final FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
            final ByteBuffer buffer = ByteBuffer.allocateDirect(pageLength);
            return new Sink(
                channel, (page, count) -> writeAll(channel, buffer.clear().put(page, 0, count).flip()));
        }

        @Override
        Source source(final Path file, final int pageLength) throws IOException
        {
            final FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            final ByteBuffer buffer = ByteBuffer.allocateDirect(pageLength);
            return new Source(channel, (page) ->
            {
                final int count = channel.read(buffer.clear());
                if (count > 0)
                {
                    buffer.flip().get(page, 0, count);
                }
                return count;
            });
        }
    },

    MAPPED
    {
        @Override
        Sink sink(final Path file, final long length, final int pageLength) throws IOException
        {
            final FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
            final Region region = new Region(channel, FileChannel.MapMode.READ_WRITE, length);
            return new Sink(channel, (page, count) -> region.next(count).put(page, 0, count));
        }

        @Override
        Source source(final Path file, final int pageLength) throws IOException
        {
            final FileChannel channel = FileChannel.open(file, StandardOpenOption.READ);
            final Region region = new Region(channel, FileChannel.MapMode.READ_ONLY, channel.size());
            return new Source(channel, (page) ->
            {
                final int count = (int)Math.min(page.length, region.remaining());
                if (0 == count)
                {
                    return -1;
                }
                region.next(count).get(page, 0, count);
                return count;
            });
        }
    };

    /**
     * Writes a file from its beginning to its end, bytes of their own number: {@code (byte)i} at offset {@code i}.
     *
     * @return their sum.
     */
    final int write(final Path file, final long length, final int pageLength) throws IOException
    {
        final byte[] page = new byte[pageLength];
        int sum = 0;
        try (Sink sink = sink(file, length, pageLength))
        {
            for (long offset = 0; offset < length; offset += pageLength)
            {
                final int count = (int)Math.min(pageLength, length - offset);
                for (int i = 0; i < count; i++)
                {
                    final byte next = (byte)(offset + i);
                    page[i] = next;
                    sum += next;
                }
                sink.writer.write(page, count);
            }
        }

        return sum;
    }

    /**
     * @return sum of the bytes.
     */
    final int read(final Path file, final int pageLength) throws IOException
    {
        final byte[] page = new byte[pageLength];
        int sum = 0;
        try (Source source = source(file, pageLength))
        {
            for (int count = source.reader.read(page); count > 0; count = source.reader.read(page))
            {
                for (int i = 0; i < count; i++)
                {
                    sum += page[i];
                }
            }
        }

        return sum;
    }

    abstract Sink sink(Path file, long length, int pageLength) throws IOException;

    abstract Source source(Path file, int pageLength) throws IOException;

    /** Takes pages. */
    interface Writer
    {
        void write(byte[] page, int count) throws IOException;
    }

    /** Gives pages. */
    interface Reader
    {
        int read(byte[] page) throws IOException;
    }

    /** An open file that takes pages. */
    record Sink(Closeable file, Writer writer) implements Closeable
    {
        @Override
        public void close() throws IOException
        {
            file.close();
        }
    }

    /** An open file that gives pages. */
    record Source(Closeable file, Reader reader) implements Closeable
    {
        @Override
        public void close() throws IOException
        {
            file.close();
        }
    }

    /** A file that is mapped piece by piece. */
    private static final class Region
    {
        private static final int MOST = 1 << 30;

        private final FileChannel channel;
        private final FileChannel.MapMode mode;
        private final long length;
        private ByteBuffer mapped = ByteBuffer.allocate(0);
        private long position;

        Region(final FileChannel channel, final FileChannel.MapMode mode, final long length)
        {
            this.channel = channel;
            this.mode = mode;
            this.length = length;
        }

        long remaining()
        {
            return length - position;
        }

        /**
         * The memory of the next bytes.
         */
        ByteBuffer next(final int count) throws IOException
        {
            if (mapped.remaining() < count)
            {
                mapped = channel.map(mode, position, Math.min(MOST, length - position));
            }
            position += count;

            return mapped;
        }
    }

    private static void writeAll(final FileChannel channel, final ByteBuffer source) throws IOException
    {
        while (source.hasRemaining())
        {
            channel.write(source);
        }
    }
}
