package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

import org.HdrHistogram.Histogram;

/**
 * The JDK's APIs to write and read a file. In fair runs all move the same bytes, so that they differ only in the file
 * API. The loops of faithful runs are in {@link ArticleCase} and its counterparts.
 */
public enum FileStrategy
{
    RANDOM_ACCESS_FILE(
        (file, length, bufferLength) -> new Output.OfRandomAccessFile(new RandomAccessFile(file.toFile(), "rw")),
        (file, bufferLength) -> new Input.OfRandomAccessFile(new RandomAccessFile(file.toFile(), "r"))),

    /** Truncates the file first, as a stream opened by name does. */
    STREAM_TRUNCATING(
        (file, length, bufferLength) -> Output.stream(new FileOutputStream(file.toFile()), 0),
        (file, bufferLength) -> new Input.OfStream(new FileInputStream(file.toFile()))),

    /** Overwrites: a stream on a file descriptor. */
    STREAM(
        (file, length, bufferLength) -> Output.stream(overwriting(file), 0),
        (file, bufferLength) -> new Input.OfStream(new FileInputStream(file.toFile()))),

    BUFFERED_STREAM(
        (file, length, bufferLength) -> Output.stream(overwriting(file), bufferLength),
        (file, bufferLength) -> new Input.OfStream(
            new BufferedInputStream(new FileInputStream(file.toFile()), bufferLength))),

    /** The caller's array is the buffer. */
    CHANNEL_HEAP(
        (file, length, bufferLength) -> new Output.OfArrays(writing(file)),
        (file, bufferLength) -> new Input.OfArrays(reading(file))),

    CHANNEL_DIRECT(
        (file, length, bufferLength) -> new Output.OfBuffer(writing(file), ByteBuffer.allocateDirect(bufferLength)),
        (file, bufferLength) -> Input.OfBuffer.reading(reading(file), ByteBuffer.allocateDirect(bufferLength))),

    MAPPED(
        (file, length, bufferLength) -> new Output.OfMapping(writing(file), length),
        (file, bufferLength) -> Input.OfBuffer.mapping(reading(file))),

    /** Copies into a heap buffer, as {@link #CHANNEL_DIRECT} into a direct one. For {@code streams-vs-channels}. */
    CHANNEL_HEAP_COPY(
        (file, length, bufferLength) -> new Output.OfBuffer(writing(file), ByteBuffer.allocate(bufferLength)),
        (file, bufferLength) -> Input.OfBuffer.reading(reading(file), ByteBuffer.allocate(bufferLength)));

    /** Strategies that move whole pages of the caller. */
    static final List<FileStrategy> OF_PAGES = List.of(
        RANDOM_ACCESS_FILE, STREAM_TRUNCATING, STREAM, BUFFERED_STREAM, CHANNEL_HEAP, CHANNEL_DIRECT, MAPPED);

    private final Writing writing;
    private final Reading reading;

    FileStrategy(final Writing writing, final Reading reading)
    {
        this.writing = writing;
        this.reading = reading;
    }

    /**
     * Opens a file to write a known number of bytes.
     */
    public Output output(final Path file, final long length, final int bufferLength) throws IOException
    {
        return writing.open(file, length, bufferLength);
    }

    public Input input(final Path file, final int bufferLength) throws IOException
    {
        return reading.open(file, bufferLength);
    }

    /**
     * Writes {@code (byte)i} at offset {@code i}, a page at a time, and returns the sum of the bytes.
     *
     * @param latencies of each page, in nanoseconds; null if not recorded.
     */
    int write(final Path file, final long length, final int pageLength, final Histogram latencies) throws IOException
    {
        try (Output out = output(file, length, bufferLength(pageLength)))
        {
            return write(out, length, pageLength, latencies);
        }
    }

    static int write(final Output out, final long length, final int pageLength, final Histogram latencies)
        throws IOException
    {
        final byte[] page = new byte[pageLength];
        int sum = 0;
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

        return sum;
    }

    /**
     * Reads a page at a time, and returns the sum of the bytes.
     */
    int read(final Path file, final int pageLength) throws IOException
    {
        try (Input in = input(file, bufferLength(pageLength)))
        {
            return read(in, pageLength);
        }
    }

    static int read(final Input in, final int pageLength) throws IOException
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

    private interface Writing
    {
        Output open(Path file, long length, int bufferLength) throws IOException;
    }

    private interface Reading
    {
        Input open(Path file, int bufferLength) throws IOException;
    }
}
