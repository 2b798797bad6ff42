package io.journal.bench.article.readers;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

/**
 * The article's thirteen ways in its order. Each reads a file to its end and adds up its bytes, as Java has them: -128
 * to 127. The article's three ways by {@code read()} add 0 to 255 instead, so that their sums differ from the others';
 * {@link #readAsPublished} does as well.
 */
enum ReaderStrategy
{
    FILE_INPUT_STREAM_BYTES("FileInputStream with byte reads", Lengths.NONE)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            long sum = 0;
            try (InputStream in = new FileInputStream(file.toFile()))
            {
                for (int next = in.read(); next >= 0; next = in.read())
                {
                    sum += (byte)next;
                }
            }

            return sum;
        }

        @Override
        long readAsPublished(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            long sum = 0;
            try (InputStream in = new FileInputStream(file.toFile()))
            {
                for (int next = in.read(); next >= 0; next = in.read())
                {
                    sum += next;
                }
            }

            return sum;
        }
    },

    FILE_INPUT_STREAM_ARRAY("FileInputStream with byte array reads", Lengths.ARRAY)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final byte[] array = new byte[arrayLength];
            long sum = 0;
            try (InputStream in = new FileInputStream(file.toFile()))
            {
                for (int count = in.read(array); count >= 0; count = in.read(array))
                {
                    for (int i = 0; i < count; i++)
                    {
                        sum += array[i];
                    }
                }
            }

            return sum;
        }
    },

    BUFFERED_INPUT_STREAM_BYTES("BufferedInputStream with byte reads", Lengths.BUFFER)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            long sum = 0;
            try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()), bufferLength))
            {
                for (int next = in.read(); next >= 0; next = in.read())
                {
                    sum += (byte)next;
                }
            }

            return sum;
        }

        @Override
        long readAsPublished(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            long sum = 0;
            try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()), bufferLength))
            {
                for (int next = in.read(); next >= 0; next = in.read())
                {
                    sum += next;
                }
            }

            return sum;
        }
    },

    BUFFERED_INPUT_STREAM_ARRAY("BufferedInputStream with byte array reads", Lengths.BOTH)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final byte[] array = new byte[arrayLength];
            long sum = 0;
            try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile()), bufferLength))
            {
                for (int count = in.read(array); count >= 0; count = in.read(array))
                {
                    for (int i = 0; i < count; i++)
                    {
                        sum += array[i];
                    }
                }
            }

            return sum;
        }
    },

    RANDOM_ACCESS_FILE_BYTES("RandomAccessFile with byte reads", Lengths.NONE)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            long sum = 0;
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r"))
            {
                for (int next = in.read(); next >= 0; next = in.read())
                {
                    sum += (byte)next;
                }
            }

            return sum;
        }

        @Override
        long readAsPublished(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            long sum = 0;
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r"))
            {
                for (int next = in.read(); next >= 0; next = in.read())
                {
                    sum += next;
                }
            }

            return sum;
        }
    },

    RANDOM_ACCESS_FILE_ARRAY("RandomAccessFile with byte array reads", Lengths.ARRAY)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final byte[] array = new byte[arrayLength];
            long sum = 0;
            try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r"))
            {
                for (int count = in.read(array); count >= 0; count = in.read(array))
                {
                    for (int i = 0; i < count; i++)
                    {
                        sum += array[i];
                    }
                }
            }

            return sum;
        }
    },

    CHANNEL_HEAP_BYTES("FileChannel with ByteBuffer and byte gets", Lengths.BUFFER)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final ByteBuffer buffer = ByteBuffer.allocate(bufferLength);
            long sum = 0;
            try (FileInputStream in = new FileInputStream(file.toFile());
                FileChannel channel = in.getChannel())
            {
                while (channel.read(buffer) >= 0)
                {
                    buffer.flip();
                    while (buffer.hasRemaining())
                    {
                        sum += buffer.get();
                    }
                    buffer.clear();
                }
            }

            return sum;
        }
    },

    CHANNEL_HEAP_ARRAY("FileChannel with ByteBuffer and byte array gets", Lengths.BOTH)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final ByteBuffer buffer = ByteBuffer.allocate(bufferLength);
            final byte[] array = new byte[arrayLength];
            long sum = 0;
            try (FileInputStream in = new FileInputStream(file.toFile());
                FileChannel channel = in.getChannel())
            {
                while (channel.read(buffer) >= 0)
                {
                    buffer.flip();
                    while (buffer.hasRemaining())
                    {
                        final int count = Math.min(buffer.remaining(), arrayLength);
                        buffer.get(array, 0, count);
                        for (int i = 0; i < count; i++)
                        {
                            sum += array[i];
                        }
                    }
                    buffer.clear();
                }
            }

            return sum;
        }
    },

    CHANNEL_WRAPPED_ARRAY("FileChannel with array ByteBuffer and byte array access", Lengths.ARRAY)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final byte[] array = new byte[arrayLength];
            final ByteBuffer buffer = ByteBuffer.wrap(array);
            long sum = 0;
            try (FileInputStream in = new FileInputStream(file.toFile());
                FileChannel channel = in.getChannel())
            {
                for (int count = channel.read(buffer); count >= 0; count = channel.read(buffer))
                {
                    for (int i = 0; i < count; i++)
                    {
                        sum += array[i];
                    }
                    buffer.clear();
                }
            }

            return sum;
        }
    },

    CHANNEL_DIRECT_BYTES("FileChannel with direct ByteBuffer and byte gets", Lengths.BUFFER)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final ByteBuffer buffer = ByteBuffer.allocateDirect(bufferLength);
            long sum = 0;
            try (FileInputStream in = new FileInputStream(file.toFile());
                FileChannel channel = in.getChannel())
            {
                while (channel.read(buffer) >= 0)
                {
                    buffer.flip();
                    while (buffer.hasRemaining())
                    {
                        sum += buffer.get();
                    }
                    buffer.clear();
                }
            }

            return sum;
        }
    },

    CHANNEL_DIRECT_ARRAY("FileChannel with direct ByteBuffer and byte array gets", Lengths.BOTH)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final ByteBuffer buffer = ByteBuffer.allocateDirect(bufferLength);
            final byte[] array = new byte[arrayLength];
            long sum = 0;
            try (FileInputStream in = new FileInputStream(file.toFile());
                FileChannel channel = in.getChannel())
            {
                while (channel.read(buffer) >= 0)
                {
                    buffer.flip();
                    while (buffer.hasRemaining())
                    {
                        final int count = Math.min(buffer.remaining(), arrayLength);
                        buffer.get(array, 0, count);
                        for (int i = 0; i < count; i++)
                        {
                            sum += array[i];
                        }
                    }
                    buffer.clear();
                }
            }

            return sum;
        }
    },

    MAPPED_BYTES("FileChannel with MappedByteBuffer and byte gets", Lengths.NONE)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            long sum = 0;
            try (FileInputStream in = new FileInputStream(file.toFile());
                FileChannel channel = in.getChannel())
            {
                final ByteBuffer mapped = channel.map(MapMode.READ_ONLY, 0, channel.size());
                while (mapped.hasRemaining())
                {
                    sum += mapped.get();
                }
            }

            return sum;
        }
    },

    MAPPED_ARRAY("FileChannel with MappedByteBuffer and byte array gets", Lengths.ARRAY)
    {
        @Override
        long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
        {
            final byte[] array = new byte[arrayLength];
            long sum = 0;
            try (FileInputStream in = new FileInputStream(file.toFile());
                FileChannel channel = in.getChannel())
            {
                final ByteBuffer mapped = channel.map(MapMode.READ_ONLY, 0, channel.size());
                while (mapped.hasRemaining())
                {
                    final int count = Math.min(mapped.remaining(), arrayLength);
                    mapped.get(array, 0, count);
                    for (int i = 0; i < count; i++)
                    {
                        sum += array[i];
                    }
                }
            }

            return sum;
        }
    };

    private final String title;
    private final Lengths lengths;

    ReaderStrategy(final String title, final Lengths lengths)
    {
        this.title = title;
        this.lengths = lengths;
    }

    /**
     * As the article calls it.
     */
    String title()
    {
        return title;
    }

    /**
     * What of it can be short or long.
     */
    Lengths lengths()
    {
        return lengths;
    }

    /**
     * Opens a file, reads all of it and closes it.
     *
     * @param bufferLength of what is between the caller and the operating system; the article's BIGSIZE.
     * @param arrayLength  of what the caller gets at a time; the article's SIZE.
     * @return sum of the bytes.
     */
    abstract long read(Path file, int bufferLength, int arrayLength) throws IOException;

    /**
     * Reads with the article's own loop.
     */
    long readAsPublished(final Path file, final int bufferLength, final int arrayLength) throws IOException
    {
        return read(file, bufferLength, arrayLength);
    }

    /**
     * Whether the article adds up bytes as 0 to 255.
     */
    boolean isPublishedUnsigned()
    {
        return FILE_INPUT_STREAM_BYTES == this || BUFFERED_INPUT_STREAM_BYTES == this ||
            RANDOM_ACCESS_FILE_BYTES == this;
    }
}
