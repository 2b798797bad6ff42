// SPDX-License-Identifier: Apache-2.0
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
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * The cases of "Java Sequential IO Performance" (Thompson, 2011) and of the comments on it, under their own names and
 * with their known weaknesses: most put single bytes, the stream truncates the file before writing, files to be read
 * are also opened for writing.
 * <p>
 * The article's four have the shape of its program, since the first passes depend on what the JIT compiler makes of it:
 * no try-with-resources, mappings declared as {@link MappedByteBuffer}, lengths that are constants.
 */
enum ThompsonCase
{
    RandomAccessFile
    {
        @Override
        int write(final String file) throws IOException
        {
            final RandomAccessFile opened = new RandomAccessFile(file, "rw");
            final byte[] page = new byte[PAGE_LENGTH];
            int at = 0;
            int sum = 0;
            for (long i = 0; i < LENGTH; i++)
            {
                final byte next = (byte)i;
                sum += next;
                page[at++] = next;
                if (PAGE_LENGTH == at)
                {
                    opened.write(page, 0, PAGE_LENGTH);
                    at = 0;
                }
            }
            opened.close();

            return sum;
        }

        @Override
        int read(final String file) throws IOException
        {
            final RandomAccessFile opened = new RandomAccessFile(file, "r");
            final byte[] page = new byte[PAGE_LENGTH];
            int sum = 0;
            int count;
            while (-1 != (count = opened.read(page)))
            {
                for (int i = 0; i < count; i++)
                {
                    sum += page[i];
                }
            }
            opened.close();

            return sum;
        }
    },

    BufferedStreamFile
    {
        @Override
        int write(final String file) throws IOException
        {
            int sum = 0;
            final OutputStream out = new BufferedOutputStream(new FileOutputStream(file));
            for (long i = 0; i < LENGTH; i++)
            {
                final byte next = (byte)i;
                sum += next;
                out.write(next);
            }
            out.close();

            return sum;
        }

        @Override
        int read(final String file) throws IOException
        {
            int sum = 0;
            final InputStream in = new BufferedInputStream(new FileInputStream(file));
            int next;
            while (-1 != (next = in.read()))
            {
                sum += (byte)next;
            }
            in.close();

            return sum;
        }
    },

    BufferedChannelFile
    {
        @Override
        int write(final String file) throws IOException
        {
            final FileChannel channel = new RandomAccessFile(file, "rw").getChannel();
            final ByteBuffer page = ByteBuffer.allocate(PAGE_LENGTH);
            int sum = 0;
            for (long i = 0; i < LENGTH; i++)
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
            channel.close();

            return sum;
        }

        /** Leaves the channel open, as the article does. */
        @Override
        int read(final String file) throws IOException
        {
            final FileChannel channel = new RandomAccessFile(file, "rw").getChannel();
            final ByteBuffer page = ByteBuffer.allocate(PAGE_LENGTH);
            int sum = 0;
            while (-1 != channel.read(page))
            {
                page.flip();
                while (page.hasRemaining())
                {
                    sum += page.get();
                }
                page.clear();
            }

            return sum;
        }
    },

    MemoryMappedFile
    {
        @Override
        int write(final String file) throws IOException
        {
            final FileChannel channel = new RandomAccessFile(file, "rw").getChannel();
            MappedByteBuffer mapped = channel.map(MapMode.READ_WRITE, 0, Math.min(channel.size(), Integer.MAX_VALUE));
            int sum = 0;
            for (long i = 0; i < LENGTH; i++)
            {
                if (!mapped.hasRemaining())
                {
                    mapped = channel.map(MapMode.READ_WRITE, i, Math.min(channel.size() - i, Integer.MAX_VALUE));
                }
                final byte next = (byte)i;
                sum += next;
                mapped.put(next);
            }
            channel.close();

            return sum;
        }

        @Override
        int read(final String file) throws IOException
        {
            final FileChannel channel = new RandomAccessFile(file, "rw").getChannel();
            MappedByteBuffer mapped = channel.map(MapMode.READ_ONLY, 0, Math.min(channel.size(), Integer.MAX_VALUE));
            int sum = 0;
            for (long i = 0; i < LENGTH; i++)
            {
                if (!mapped.hasRemaining())
                {
                    mapped = channel.map(MapMode.READ_WRITE, i, Math.min(channel.size() - i, Integer.MAX_VALUE));
                }
                sum += mapped.get();
            }
            channel.close();

            return sum;
        }
    },

    /** From a comment: without an array, one system call per byte. */
    RandomAccessFileByte
    {
        @Override
        int write(final String file) throws IOException
        {
            int sum = 0;
            try (RandomAccessFile opened = new RandomAccessFile(file, "rw"))
            {
                for (long i = 0; i < LENGTH; i++)
                {
                    final byte next = (byte)i;
                    sum += next;
                    opened.write(next);
                }
            }

            return sum;
        }

        @Override
        int read(final String file) throws IOException
        {
            int sum = 0;
            int next;
            try (RandomAccessFile opened = new RandomAccessFile(file, "r"))
            {
                while (-1 != (next = opened.read()))
                {
                    sum += (byte)next;
                }
            }

            return sum;
        }
    },

    /** From a comment: with the same array as RandomAccessFile. */
    BufferedStreamFile2
    {
        @Override
        int write(final String file) throws IOException
        {
            try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file)))
            {
                return writePages(out);
            }
        }

        @Override
        int read(final String file) throws IOException
        {
            try (InputStream in = new BufferedInputStream(new FileInputStream(file)))
            {
                return (int)new Sums.Loops(false).arrays(in::read, new byte[PAGE_LENGTH]);
            }
        }
    },

    /** From a comment: with the same array as RandomAccessFile. */
    BufferedChannelFile2(FileStrategy.CHANNEL_HEAP_COPY),

    /** From a comment: with the same array as RandomAccessFile. */
    MemoryMappedFile2(FileStrategy.MAPPED);

    static final long LENGTH = ThompsonProgram.length;
    static final int PAGE_LENGTH = ThompsonProgram.pageLength;

    // Null for a case with loops of its own.
    private final FileStrategy strategy;

    ThompsonCase()
    {
        this(null);
    }

    ThompsonCase(final FileStrategy strategy)
    {
        this.strategy = strategy;
    }

    /** The loop of the comments: byte by byte into an array of a page, which is written when it is full. */
    static int writePages(final OutputStream out) throws IOException
    {
        final byte[] page = new byte[PAGE_LENGTH];
        int at = 0;
        int sum = 0;
        for (long i = 0; i < LENGTH; i++)
        {
            final byte next = (byte)i;
            sum += next;
            page[at++] = next;
            if (PAGE_LENGTH == at)
            {
                out.write(page, 0, PAGE_LENGTH);
                at = 0;
            }
        }

        return sum;
    }

    /** Returns the sum of the bytes. */
    int write(final String file) throws IOException
    {
        try (OutputStream out = strategy.output(Path.of(file), LENGTH, PAGE_LENGTH))
        {
            return writePages(out);
        }
    }

    /** Returns the sum of the bytes. */
    int read(final String file) throws IOException
    {
        return (int)strategy.read(new Sums.Loops(false), Path.of(file), PAGE_LENGTH, PAGE_LENGTH);
    }
}
