package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import io.journal.bench.article.FileStreams.BufferOutput;
import io.journal.bench.article.FileStreams.MappedOutput;
import io.journal.bench.article.FileStreams.UnbufferedOutput;

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
    /** Copies into a heap buffer, as {@link #CHANNEL_DIRECT} into a direct one. */
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
                yield new UnbufferedOutput(channel, (array, offset, count) -> FileStreams.writeAll(
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
}
