package io.journal.bench.article.streams;

import io.journal.bench.article.FileStrategy;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.function.IntFunction;

/**
 * The original's eight cases in its order, with its weaknesses: single bytes are put into streams, buffers and
 * mappings; data read is not used; read buffers are flipped instead of cleared; a mapped file is closed before anything
 * reached the device.
 */
enum ArticleCase
{
    DirectGen("DirectByteBufferGenerator")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            return generate(file, length, lines, bufferLength, ByteBuffer::allocateDirect);
        }
    },

    DirectIn("DirectByteBufferInput")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            return input(file, bufferLength, ByteBuffer::allocateDirect);
        }
    },

    StreamsGen("StreamsBasedGenerator")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            create(file);
            long offset = 0;
            try (OutputStream out = new BufferedOutputStream(new FileOutputStream(file.toFile())))
            {
                while (offset < length)
                {
                    final int count = bufferLength - lines.separator().length;
                    for (int i = 0; i < count; i++)
                    {
                        out.write(Lines.VALUE);
                    }
                    out.write(lines.separator());
                    offset += bufferLength;
                }
            }

            return offset;
        }
    },

    StreamsIn("StreamsBasedInput")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            final byte[] buffer = new byte[bufferLength];
            long offset = 0;
            try (InputStream in = new BufferedInputStream(new FileInputStream(file.toFile())))
            {
                for (int count = in.read(buffer); count > 0; count = in.read(buffer))
                {
                    offset += count;
                }
            }

            return offset;
        }
    },

    IndirectGen("IndirectByteBufferGenerator")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            return generate(file, length, lines, bufferLength, ByteBuffer::allocate);
        }
    },

    IndirectIn("IndirectByteBufferInput")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            return input(file, bufferLength, ByteBuffer::allocate);
        }
    },

    MmapGen("MemoryMappedGenerator")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            create(file);
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.READ))
            {
                // Duplicates the loop of the buffers: a shared one would be compiled for both types.
                final MappedByteBuffer mapped = channel.map(MapMode.READ_WRITE, 0, length);
                final int count = bufferLength - lines.separator().length;
                while (mapped.hasRemaining())
                {
                    for (int i = 0; i < count; i++)
                    {
                        mapped.put(Lines.VALUE);
                    }
                    mapped.put(lines.separator());
                }
                return mapped.position();
            }
        }
    },

    MmapIn("MemoryMappedInput")
    {
        @Override
        long run(final Path file, final long length, final Lines lines, final int bufferLength) throws IOException
        {
            final byte[] array = new byte[bufferLength];
            try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ))
            {
                final MappedByteBuffer mapped = channel.map(MapMode.READ_ONLY, 0, channel.size());
                while (mapped.hasRemaining())
                {
                    mapped.get(array);
                }
                return mapped.position();
            }
        }
    };

    private final String originalName;

    ArticleCase(final String originalName)
    {
        this.originalName = originalName;
    }

    /**
     * Name in the original's output.
     */
    String originalName()
    {
        return originalName;
    }

    boolean isGenerator()
    {
        return name().endsWith("Gen");
    }

    /**
     * The same API without the weaknesses.
     */
    FileStrategy fairStrategy()
    {
        return switch (this)
        {
            case DirectGen, DirectIn -> FileStrategy.CHANNEL_DIRECT;
            case StreamsGen, StreamsIn -> FileStrategy.BUFFERED_STREAM;
            case IndirectGen, IndirectIn -> FileStrategy.CHANNEL_HEAP_COPY;
            case MmapGen, MmapIn -> FileStrategy.MAPPED;
        };
    }

    /** Whether it allocates a buffer; the article claims that the first allocation takes longer. */
    boolean isAllocating()
    {
        return name().contains("irect");
    }

    /**
     * Opens, writes or reads the whole file, and closes.
     *
     * @param length of the file: whole lines.
     * @return number of bytes.
     */
    abstract long run(Path file, long length, Lines lines, int bufferLength) throws IOException;

    private static long generate(
        final Path file,
        final long length,
        final Lines lines,
        final int bufferLength,
        final IntFunction<ByteBuffer> allocator) throws IOException
    {
        create(file);
        long offset = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.WRITE, StandardOpenOption.READ))
        {
            final ByteBuffer buffer = allocator.apply(bufferLength);
            while (offset < length)
            {
                buffer.clear();
                putLine(buffer, lines, bufferLength);
                buffer.flip();
                offset += channel.write(buffer);
            }
        }

        return offset;
    }

    private static long input(final Path file, final int bufferLength, final IntFunction<ByteBuffer> allocator)
        throws IOException
    {
        long offset = 0;
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ))
        {
            final ByteBuffer buffer = allocator.apply(bufferLength);
            for (int count = channel.read(buffer); count > 0; count = channel.read(buffer))
            {
                offset += count;
                // As in the original: correct only if each read fills the buffer.
                buffer.flip();
            }
        }

        return offset;
    }

    private static void putLine(final ByteBuffer buffer, final Lines lines, final int bufferLength)
    {
        final int count = bufferLength - lines.separator().length;
        for (int i = 0; i < count; i++)
        {
            buffer.put(Lines.VALUE);
        }
        buffer.put(lines.separator());
    }

    private static void create(final Path file) throws IOException
    {
        Files.deleteIfExists(file);
        Files.createFile(file);
    }
}
