package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;

/**
 * The four ways of "Java Sequential IO Performance" (Thompson, 2011), under its names and in its order, with what was
 * criticised about them: bytes are put one by one except in the first, the stream cuts the file to nothing before it
 * writes, files to be read are opened for writing too.
 */
enum OriginalWay implements Way
{
    RandomAccessFile
    {
        @Override
        public int write(final Path file, final long length, final int pageLength) throws IOException
        {
            final byte[] page = new byte[pageLength];
            int sum = 0;
            int at = 0;
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw"))
            {
                for (long i = 0; i < length; i++)
                {
                    final byte next = (byte)i;
                    sum += next;
                    page[at++] = next;
                    if (at == pageLength)
                    {
                        opened.write(page, 0, pageLength);
                        at = 0;
                    }
                }
            }

            return sum;
        }

        @Override
        public int read(final Path file, final int pageLength) throws IOException
        {
            final byte[] page = new byte[pageLength];
            int sum = 0;
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw"))
            {
                for (int read = opened.read(page); -1 != read; read = opened.read(page))
                {
                    for (int i = 0; i < read; i++)
                    {
                        sum += page[i];
                    }
                }
            }

            return sum;
        }
    },

    BufferedStreamFile
    {
        @Override
        public int write(final Path file, final long length, final int pageLength) throws IOException
        {
            int sum = 0;
            try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file.toFile())))
            {
                for (long i = 0; i < length; i++)
                {
                    final byte next = (byte)i;
                    sum += next;
                    out.write(next);
                }
            }

            return sum;
        }

        @Override
        public int read(final Path file, final int pageLength) throws IOException
        {
            int sum = 0;
            try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile())))
            {
                for (int next = in.read(); -1 != next; next = in.read())
                {
                    sum += (byte)next;
                }
            }

            return sum;
        }
    },

    BufferedChannelFile
    {
        @Override
        public int write(final Path file, final long length, final int pageLength) throws IOException
        {
            final ByteBuffer page = ByteBuffer.allocate(pageLength);
            int sum = 0;
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
                FileChannel channel = opened.getChannel())
            {
                for (long i = 0; i < length; i++)
                {
                    final byte next = (byte)i;
                    sum += next;
                    page.put(next);
                    if (!page.hasRemaining())
                    {
                        page.flip();
                        channel.write(page);
                        page.clear();
                    }
                }
            }

            return sum;
        }

        @Override
        public int read(final Path file, final int pageLength) throws IOException
        {
            final ByteBuffer page = ByteBuffer.allocate(pageLength);
            int sum = 0;
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
                FileChannel channel = opened.getChannel())
            {
                while (-1 != channel.read(page))
                {
                    page.flip();
                    while (page.hasRemaining())
                    {
                        sum += page.get();
                    }
                    page.clear();
                }
            }

            return sum;
        }
    },

    MemoryMappedFile
    {
        @Override
        public int write(final Path file, final long length, final int pageLength) throws IOException
        {
            int sum = 0;
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
                FileChannel channel = opened.getChannel())
            {
                ByteBuffer mapped = map(channel, 0, length);
                for (long i = 0; i < length; i++)
                {
                    final byte next = (byte)i;
                    if (!mapped.hasRemaining())
                    {
                        mapped = map(channel, i, length);
                    }
                    sum += next;
                    mapped.put(next);
                }
            }

            return sum;
        }

        @Override
        public int read(final Path file, final int pageLength) throws IOException
        {
            int sum = 0;
            try (RandomAccessFile opened = new RandomAccessFile(file.toFile(), "rw");
                FileChannel channel = opened.getChannel())
            {
                final long length = channel.size();
                ByteBuffer mapped = map(channel, 0, length);
                for (long i = 0; i < length; i++)
                {
                    if (!mapped.hasRemaining())
                    {
                        mapped = map(channel, i, length);
                    }
                    sum += mapped.get();
                }
            }

            return sum;
        }

        private ByteBuffer map(final FileChannel channel, final long from, final long length) throws IOException
        {
            return channel.map(
                FileChannel.MapMode.READ_WRITE, from, Math.min(length - from, Integer.MAX_VALUE));
        }
    }
}
