package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
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
import java.nio.file.StandardOpenOption;
import java.util.function.Function;
import java.util.function.IntFunction;

import io.journal.bench.article.StreamsTrial.LineFile;

/**
 * The original's programs, in its shape, which determines what the JIT compiler makes of them: an object for all
 * repeats, a line per call, buffers in fields of the original's types.
 * <p>
 * With its weaknesses: single bytes are put into streams, buffers and mappings; data read is not used; read buffers are
 * flipped instead of cleared; a mapped file is closed before anything reached the device.
 */
abstract class StreamsProgram
{
    /** The original's eight cases, in its order. */
    enum Case
    {
        DirectGen("DirectByteBufferGenerator", FileStrategy.CHANNEL_DIRECT,
            (file) -> new BufferGenerator(file, ByteBuffer::allocateDirect)),

        DirectIn("DirectByteBufferInput", FileStrategy.CHANNEL_DIRECT,
            (file) -> new BufferInput(file, ByteBuffer::allocateDirect)),

        StreamsGen("StreamsBasedGenerator", FileStrategy.BUFFERED_STREAM, StreamGenerator::new),

        StreamsIn("StreamsBasedInput", FileStrategy.BUFFERED_STREAM, StreamInput::new),

        IndirectGen("IndirectByteBufferGenerator", FileStrategy.CHANNEL_HEAP_COPY,
            (file) -> new BufferGenerator(file, ByteBuffer::allocate)),

        IndirectIn("IndirectByteBufferInput", FileStrategy.CHANNEL_HEAP_COPY,
            (file) -> new BufferInput(file, ByteBuffer::allocate)),

        MmapGen("MemoryMappedGenerator", FileStrategy.MAPPED, MappedGenerator::new),

        MmapIn("MemoryMappedInput", FileStrategy.MAPPED, MappedInput::new);

        /** Name in the original's output. */
        final String originalName;
        /** The same API without the weaknesses. */
        final FileStrategy fairStrategy;
        /** The original's program, one for all repeats. */
        final Function<LineFile, StreamsProgram> program;

        Case(
            final String originalName, final FileStrategy fairStrategy,
            final Function<LineFile, StreamsProgram> program)
        {
            this.originalName = originalName;
            this.fairStrategy = fairStrategy;
            this.program = program;
        }

        boolean isGenerator()
        {
            return name().endsWith("Gen");
        }

        /** Whether it allocates a buffer; the article claims that the first allocation takes longer. */
        boolean isAllocating()
        {
            return name().contains("irect");
        }
    }

    final LineFile file;
    private Closeable opened;

    private StreamsProgram(final LineFile file)
    {
        this.file = file;
    }

    /** Opens the file; a generator deletes and creates it before. */
    abstract void init() throws IOException;

    /**
     * Writes or reads the whole file.
     *
     * @return number of bytes.
     */
    abstract long run() throws IOException;

    final void close() throws IOException
    {
        opened.close();
    }

    /** Keeps what is to be closed. */
    final <C extends Closeable> C opened(final C closeable)
    {
        opened = closeable;
        return closeable;
    }

    /** Writes a file line by line. */
    private abstract static class Generator extends StreamsProgram
    {
        final byte[] separator = LineFile.newSeparator();
        private long remaining;

        Generator(final LineFile file)
        {
            super(file);
        }

        @Override
        final void init() throws IOException
        {
            Files.deleteIfExists(file.path());
            Files.createFile(file.path());
            remaining = file.length();
            open();
        }

        @Override
        final long run() throws IOException
        {
            while (remaining > 0)
            {
                remaining -= nextLine();
            }

            return file.length() - remaining;
        }

        abstract void open() throws IOException;

        /** Returns its length. */
        abstract long nextLine() throws IOException;

        final long valueCount()
        {
            return Math.min(remaining, file.bufferLength() - separator.length);
        }
    }

    /** Fills a buffer, and writes it. */
    static final class BufferGenerator extends Generator
    {
        private final IntFunction<ByteBuffer> allocator;
        private ByteBuffer buffer;
        private FileChannel channel;

        BufferGenerator(final LineFile file, final IntFunction<ByteBuffer> allocator)
        {
            super(file);
            this.allocator = allocator;
        }

        @Override
        void open() throws IOException
        {
            channel = opened(FileChannel.open(file.path(), StandardOpenOption.WRITE, StandardOpenOption.READ));
            buffer = allocator.apply(file.bufferLength());
        }

        @Override
        long nextLine() throws IOException
        {
            buffer.clear();
            final long count = valueCount();
            for (int i = 0; i < count; i++)
            {
                buffer.put(LineFile.VALUE);
            }
            buffer.put(separator);
            buffer.flip();
            channel.write(buffer);
            return count + separator.length;
        }
    }

    /** Writes byte by byte, through the default buffer. */
    static final class StreamGenerator extends Generator
    {
        private OutputStream out;

        StreamGenerator(final LineFile file)
        {
            super(file);
        }

        @Override
        void open() throws IOException
        {
            out = opened(new BufferedOutputStream(new FileOutputStream(file.path().toString())));
        }

        @Override
        long nextLine() throws IOException
        {
            final long count = valueCount();
            for (int i = 0; i < count; i++)
            {
                out.write(LineFile.VALUE);
            }
            out.write(separator);
            return count + separator.length;
        }
    }

    /** Stores byte by byte, through a field of the buffers' common type. */
    static final class MappedGenerator extends Generator
    {
        private ByteBuffer buffer;

        MappedGenerator(final LineFile file)
        {
            super(file);
        }

        @Override
        void open() throws IOException
        {
            final FileChannel channel =
                opened(FileChannel.open(file.path(), StandardOpenOption.WRITE, StandardOpenOption.READ));
            buffer = channel.map(MapMode.READ_WRITE, 0, file.length());
        }

        @Override
        long nextLine()
        {
            final long count = valueCount();
            for (int i = 0; i < count; i++)
            {
                buffer.put(LineFile.VALUE);
            }
            buffer.put(separator);
            return count + separator.length;
        }
    }

    /** Fills a buffer again and again. */
    static final class BufferInput extends StreamsProgram
    {
        private final IntFunction<ByteBuffer> allocator;
        private ByteBuffer buffer;
        private FileChannel channel;

        BufferInput(final LineFile file, final IntFunction<ByteBuffer> allocator)
        {
            super(file);
            this.allocator = allocator;
        }

        @Override
        void init() throws IOException
        {
            channel = opened(FileChannel.open(file.path(), StandardOpenOption.READ));
            buffer = allocator.apply(file.bufferLength());
        }

        @Override
        long run() throws IOException
        {
            while (channel.read(buffer) > 0)
            {
                // As in the original: correct only if each read fills the buffer.
                buffer.flip();
            }

            return channel.position();
        }
    }

    /** Reads arrays. */
    static final class StreamInput extends StreamsProgram
    {
        private byte[] array;
        private FileInputStream bare;
        private InputStream in;

        StreamInput(final LineFile file)
        {
            super(file);
        }

        @Override
        void init() throws IOException
        {
            bare = new FileInputStream(file.path().toString());
            in = opened(new BufferedInputStream(bare));
            array = new byte[file.bufferLength()];
        }

        @Override
        long run() throws IOException
        {
            while (in.read(array) > 0)
            {
                // The data is not used.
                continue;
            }

            return bare.getChannel().position();
        }
    }

    /** Copies arrays out of the mapping. */
    static final class MappedInput extends StreamsProgram
    {
        private byte[] array;
        private MappedByteBuffer buffer;

        MappedInput(final LineFile file)
        {
            super(file);
        }

        @Override
        void init() throws IOException
        {
            final FileChannel channel = opened(FileChannel.open(file.path(), StandardOpenOption.READ));
            buffer = channel.map(MapMode.READ_ONLY, 0, channel.size());
            array = new byte[file.bufferLength()];
        }

        @Override
        long run()
        {
            while (buffer.get(array).position() < buffer.limit())
            {
                // The data is not used.
                continue;
            }

            return buffer.position();
        }
    }
}
