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
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

import io.journal.bench.run.ColdRead;
import org.HdrHistogram.Histogram;

/**
 * The JDK's APIs to write and read a file, each as a pair of streams. In fair runs all move the same bytes, so that
 * they differ only in the file API. The loops of faithful runs are in {@link ArticleCase} and its counterparts.
 */
enum FileStrategy
{
    RANDOM_ACCESS_FILE,

    /** Truncates the file first, as a stream opened by name does. */
    STREAM_TRUNCATING,

    /** Overwrites: a stream on a file descriptor. */
    STREAM,

    BUFFERED_STREAM,

    /** The caller's array is the buffer. */
    CHANNEL_HEAP,

    CHANNEL_DIRECT,

    MAPPED,

    /** Copies into a heap buffer, as {@link #CHANNEL_DIRECT} into a direct one. For {@code streams-vs-channels}. */
    CHANNEL_HEAP_COPY;

    /** Strategies that move whole pages of the caller. */
    static final List<FileStrategy> OF_PAGES = List.of(
        RANDOM_ACCESS_FILE, STREAM_TRUNCATING, STREAM, BUFFERED_STREAM, CHANNEL_HEAP, CHANNEL_DIRECT, MAPPED);

    private static final long MAPPING_LENGTH = 1 << 30;

    /** Opens a file to write a known number of bytes. */
    OutputStream output(final Path file, final long length, final int bufferLength) throws IOException
    {
        return switch (this)
        {
            case RANDOM_ACCESS_FILE -> UnbufferedOutput.of(new RandomAccessFile(file.toFile(), "rw"));
            case STREAM_TRUNCATING -> new FileOutputStream(file.toFile());
            case STREAM -> overwriting(file);
            case BUFFERED_STREAM -> new BufferedOutputStream(overwriting(file), bufferLength);
            case CHANNEL_HEAP ->
            {
                final FileChannel channel = writing(file);
                yield new UnbufferedOutput(channel, (array, offset, count) -> writeAll(
                    channel, ByteBuffer.wrap(array, offset, count)));
            }
            case CHANNEL_DIRECT -> new BufferOutput(writing(file), ByteBuffer.allocateDirect(bufferLength));
            case MAPPED -> new MappedOutput(writing(file), length);
            case CHANNEL_HEAP_COPY -> new BufferOutput(writing(file), ByteBuffer.allocate(bufferLength));
        };
    }

    InputStream input(final Path file, final int bufferLength) throws IOException
    {
        return switch (this)
        {
            case RANDOM_ACCESS_FILE ->
            {
                final RandomAccessFile opened = new RandomAccessFile(file.toFile(), "r");
                yield new UnbufferedInput(opened, opened::read);
            }
            case STREAM_TRUNCATING, STREAM -> new FileInputStream(file.toFile());
            case BUFFERED_STREAM -> new BufferedInputStream(new FileInputStream(file.toFile()), bufferLength);
            case CHANNEL_HEAP ->
            {
                final FileChannel channel = reading(file);
                yield new UnbufferedInput(channel, (array, offset, count) -> channel.read(
                    ByteBuffer.wrap(array, offset, count)));
            }
            case CHANNEL_DIRECT -> new BufferInput(reading(file), ByteBuffer.allocateDirect(bufferLength));
            case MAPPED -> new BufferInput(reading(file), null);
            case CHANNEL_HEAP_COPY -> new BufferInput(reading(file), ByteBuffer.allocate(bufferLength));
        };
    }

    /** Flushes an output, of a mapping also its pages, then fsyncs the file. */
    static void force(final OutputStream out, final Path file) throws IOException
    {
        out.flush();
        ColdRead.force(file);
    }

    /**
     * Writes {@code (byte)i} at offset {@code i}, a page at a time, and returns the sum of the bytes.
     *
     * @param latencies of each page, in nanoseconds; null if not recorded.
     */
    int write(final Path file, final long length, final int pageLength, final Histogram latencies) throws IOException
    {
        final byte[] page = new byte[pageLength];
        int sum = 0;
        try (OutputStream out = output(file, length, bufferLength(pageLength)))
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
                final long start = null == latencies ? 0 : System.nanoTime();
                out.write(page, 0, count);
                if (null != latencies)
                {
                    latencies.recordValue(System.nanoTime() - start);
                }
            }
        }

        return sum;
    }

    /** Reads a page at a time, and returns the sum of the bytes. */
    int read(final Path file, final int pageLength) throws IOException
    {
        try (InputStream in = input(file, bufferLength(pageLength)))
        {
            return read(in, pageLength);
        }
    }

    static int read(final InputStream in, final int pageLength) throws IOException
    {
        final byte[] page = new byte[pageLength];
        int sum = 0;
        for (int count = in.read(page); count > 0; count = in.read(page))
        {
            for (int i = 0; i < count; i++)
            {
                sum += page[i];
            }
        }

        return sum;
    }

    /** A buffered stream bypasses a buffer that is not longer than the given array. */
    private int bufferLength(final int pageLength)
    {
        return BUFFERED_STREAM == this ? 2 * pageLength : pageLength;
    }

    private static FileOutputStream overwriting(final Path file) throws IOException
    {
        return new FileOutputStream(new RandomAccessFile(file.toFile(), "rw").getFD());
    }

    private static FileChannel writing(final Path file) throws IOException
    {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    private static FileChannel reading(final Path file) throws IOException
    {
        return FileChannel.open(file, StandardOpenOption.READ);
    }

    static void writeAll(final FileChannel channel, final ByteBuffer source) throws IOException
    {
        while (source.hasRemaining())
        {
            channel.write(source);
        }
    }

    private interface ArrayWrite
    {
        void write(byte[] array, int offset, int count) throws IOException;
    }

    private interface ArrayRead
    {
        int read(byte[] array, int offset, int count) throws IOException;
    }

    /** Every write is a system call. */
    static final class UnbufferedOutput extends OutputStream
    {
        private final Closeable file;
        private final ArrayWrite call;

        private UnbufferedOutput(final Closeable file, final ArrayWrite call)
        {
            this.file = file;
            this.call = call;
        }

        static OutputStream of(final RandomAccessFile file)
        {
            return new UnbufferedOutput(file, file::write);
        }

        @Override
        public void write(final int next) throws IOException
        {
            call.write(new byte[]{ (byte)next }, 0, 1);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            call.write(source, offset, count);
        }

        @Override
        public void close() throws IOException
        {
            file.close();
        }
    }

    private static final class UnbufferedInput extends InputStream
    {
        private final Closeable file;
        private final ArrayRead call;

        private UnbufferedInput(final Closeable file, final ArrayRead call)
        {
            this.file = file;
            this.call = call;
        }

        @Override
        public int read() throws IOException
        {
            final byte[] next = new byte[1];
            return read(next) > 0 ? Byte.toUnsignedInt(next[0]) : -1;
        }

        @Override
        public int read(final byte[] target, final int offset, final int count) throws IOException
        {
            return call.read(target, offset, count);
        }

        @Override
        public void close() throws IOException
        {
            file.close();
        }
    }

    /** A channel with a buffer, which is written when full. */
    static final class BufferOutput extends OutputStream
    {
        private final FileChannel channel;
        private final ByteBuffer buffer;

        BufferOutput(final FileChannel channel, final ByteBuffer buffer)
        {
            this.channel = channel;
            this.buffer = buffer;
        }

        @Override
        public void write(final int next) throws IOException
        {
            if (!buffer.hasRemaining())
            {
                flush();
            }
            buffer.put((byte)next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            if (buffer.remaining() < count)
            {
                flush();
            }
            buffer.put(source, offset, count);
        }

        @Override
        public void flush() throws IOException
        {
            writeAll(channel, buffer.flip());
            buffer.clear();
        }

        @Override
        public void close() throws IOException
        {
            try (channel)
            {
                flush();
            }
        }
    }

    /** A file of known length, mapped piece by piece. */
    static final class MappedOutput extends OutputStream
    {
        private final FileChannel channel;
        private final long length;
        private final List<MappedByteBuffer> pieces = new ArrayList<>();
        private MappedByteBuffer piece;
        private long endPosition;

        MappedOutput(final FileChannel channel, final long length) throws IOException
        {
            this.channel = channel;
            this.length = length;
            nextPiece();
        }

        @Override
        public void write(final int next) throws IOException
        {
            if (!piece.hasRemaining())
            {
                nextPiece();
            }
            piece.put((byte)next);
        }

        @Override
        public void write(final byte[] source, final int offset, final int count) throws IOException
        {
            final int fitting = Math.min(count, piece.remaining());
            piece.put(source, offset, fitting);
            if (fitting < count)
            {
                nextPiece();
                piece.put(source, offset + fitting, count - fitting);
            }
        }

        @Override
        public void flush()
        {
            pieces.forEach(MappedByteBuffer::force);
        }

        @Override
        public void close() throws IOException
        {
            channel.close();
        }

        private void nextPiece() throws IOException
        {
            final long pieceLength = Math.min(MAPPING_LENGTH, length - endPosition);
            piece = channel.map(MapMode.READ_WRITE, endPosition, pieceLength);
            pieces.add(piece);
            endPosition += pieceLength;
        }
    }

    /** A channel with a buffer, refilled by a read, or if it has none by mapping the next piece. */
    private static final class BufferInput extends InputStream
    {
        private final FileChannel channel;
        private final boolean isMapped;
        private ByteBuffer buffer;
        private long mappedPosition;

        private BufferInput(final FileChannel channel, final ByteBuffer buffer)
        {
            this.channel = channel;
            this.isMapped = null == buffer;
            this.buffer = isMapped ? ByteBuffer.allocate(0) : buffer.flip();
        }

        @Override
        public int read() throws IOException
        {
            return buffer.hasRemaining() || fill() ? Byte.toUnsignedInt(buffer.get()) : -1;
        }

        @Override
        public int read(final byte[] target, final int offset, final int length) throws IOException
        {
            if (!buffer.hasRemaining() && !fill())
            {
                return -1;
            }
            final int count = Math.min(length, buffer.remaining());
            buffer.get(target, offset, count);
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
                final long pieceLength = Math.min(MAPPING_LENGTH, channel.size() - mappedPosition);
                if (pieceLength > 0)
                {
                    buffer = channel.map(MapMode.READ_ONLY, mappedPosition, pieceLength);
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
