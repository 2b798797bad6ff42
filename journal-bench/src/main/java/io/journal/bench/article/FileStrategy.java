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
import java.nio.file.StandardOpenOption;
import java.util.List;

import io.journal.bench.article.FileStreams.BufferInput;
import io.journal.bench.article.FileStreams.BufferOutput;
import io.journal.bench.article.FileStreams.MappedOutput;
import io.journal.bench.article.FileStreams.UnbufferedInput;
import io.journal.bench.article.FileStreams.UnbufferedOutput;
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
}
