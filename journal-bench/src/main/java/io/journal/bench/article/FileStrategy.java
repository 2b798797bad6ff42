// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel.MapMode;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;

/**
 * The JDK's APIs to write and read a file. In fair runs all move the same bytes, so that they differ only in the API.
 * Each names its read call with its own type: a shared helper would mix the types of call sites.
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
    /** Copies into a heap buffer, where {@link #CHANNEL_DIRECT} copies into a direct buffer. */
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

    /**
     * Opens, reads and closes a file, and returns the sum of its bytes.
     *
     * @param arrayLength of the caller's array; 0: single bytes.
     */
    long read(final Sums sums, final Path file, final int bufferLength, final int arrayLength) throws IOException
    {
        final byte[] array = new byte[arrayLength];
        switch (this)
        {
            case RANDOM_ACCESS_FILE:
                try (RandomAccessFile in = new RandomAccessFile(file.toFile(), "r"))
                {
                    return 0 == arrayLength ? sums.bytes(in::read) : sums.arrays(in::read, array);
                }
            case STREAM, STREAM_TRUNCATING:
                try (FileInputStream in = new FileInputStream(file.toFile()))
                {
                    return 0 == arrayLength ? sums.bytes(in::read) : sums.arrays(in::read, array);
                }
            case BUFFERED_STREAM:
                try (BufferedInputStream in = new BufferedInputStream(
                    new FileInputStream(file.toFile()), bufferLength))
                {
                    return 0 == arrayLength ? sums.bytes(in::read) : sums.arrays(in::read, array);
                }
            default:
                try (FileInputStream in = new FileInputStream(file.toFile()); FileChannel channel = in.getChannel())
                {
                    return read(sums, channel, bufferLength, array);
                }
        }
    }

    private long read(final Sums sums, final FileChannel channel, final int bufferLength, final byte[] array)
        throws IOException
    {
        switch (this)
        {
            case CHANNEL_HEAP:
                final ByteBuffer wrapped = ByteBuffer.wrap(array);
                return sums.arrays((same) -> channel.read(wrapped.clear()), array);
            case MAPPED:
                long sum = 0;
                for (long offset = 0; offset < channel.size(); offset += MAPPING_LENGTH)
                {
                    final ByteBuffer piece = channel.map(
                        MapMode.READ_ONLY, offset, Math.min(MAPPING_LENGTH, channel.size() - offset));
                    sum += 0 == array.length ? sums.gets(piece) : sums.arrayGets(piece, array);
                }
                return sum;
            default:
                final ByteBuffer buffer = CHANNEL_DIRECT == this ? ByteBuffer.allocateDirect(bufferLength) :
                    ByteBuffer.allocate(bufferLength);
                return 0 == array.length ? sums.buffers(channel, buffer) : sums.bufferArrays(channel, buffer, array);
        }
    }

    private static FileOutputStream overwriting(final Path file) throws IOException
    {
        return new FileOutputStream(new RandomAccessFile(file.toFile(), "rw").getFD());
    }

    private static FileChannel writing(final Path file) throws IOException
    {
        return FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE);
    }

    static void writeAll(final FileChannel channel, final ByteBuffer source) throws IOException
    {
        while (source.hasRemaining())
        {
            channel.write(source);
        }
    }

    interface ArrayWrite
    {
        void write(byte[] array, int offset, int count) throws IOException;
    }

    /** Every write is a system call. */
    static final class UnbufferedOutput extends OutputStream
    {
        private final Closeable file;
        private final ArrayWrite call;

        UnbufferedOutput(final Closeable file, final ArrayWrite call)
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
}
