package io.journal.bench.article.readers;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;

import io.journal.bench.article.readers.Point.Lengths;

/**
 * The article's thirteen strategies in its order; each opens, reads and closes a file. Each names its read call with
 * its own type: a shared helper would mix call-site types.
 */
enum ReaderStrategy
{
    FILE_INPUT_STREAM_BYTES("FileInputStream with byte reads", Lengths.NONE,
        (sums, file, buffer, array) -> using(
            () -> new FileInputStream(file.toFile()), (in) -> sums.bytes(in::read))),

    FILE_INPUT_STREAM_ARRAY("FileInputStream with byte array reads", Lengths.ARRAY,
        (sums, file, buffer, array) -> using(
            () -> new FileInputStream(file.toFile()), (in) -> sums.arrays(in::read, new byte[array]))),

    BUFFERED_INPUT_STREAM_BYTES("BufferedInputStream with byte reads", Lengths.BUFFER,
        (sums, file, buffer, array) -> using(
            () -> new BufferedInputStream(new FileInputStream(file.toFile()), buffer), (in) -> sums.bytes(in::read))),

    BUFFERED_INPUT_STREAM_ARRAY("BufferedInputStream with byte array reads", Lengths.BOTH,
        (sums, file, buffer, array) -> using(
            () -> new BufferedInputStream(new FileInputStream(file.toFile()), buffer),
            (in) -> sums.arrays(in::read, new byte[array]))),

    RANDOM_ACCESS_FILE_BYTES("RandomAccessFile with byte reads", Lengths.NONE,
        (sums, file, buffer, array) -> using(
            () -> new RandomAccessFile(file.toFile(), "r"), (in) -> sums.bytes(in::read))),

    RANDOM_ACCESS_FILE_ARRAY("RandomAccessFile with byte array reads", Lengths.ARRAY,
        (sums, file, buffer, array) -> using(
            () -> new RandomAccessFile(file.toFile(), "r"), (in) -> sums.arrays(in::read, new byte[array]))),

    CHANNEL_HEAP_BYTES("FileChannel with ByteBuffer and byte gets", Lengths.BUFFER,
        (sums, file, buffer, array) -> channel(file, (in) -> sums.buffers(in, ByteBuffer.allocate(buffer)))),

    CHANNEL_HEAP_ARRAY("FileChannel with ByteBuffer and byte array gets", Lengths.BOTH,
        (sums, file, buffer, array) -> channel(
            file, (in) -> sums.bufferArrays(in, ByteBuffer.allocate(buffer), new byte[array]))),

    CHANNEL_WRAPPED_ARRAY("FileChannel with array ByteBuffer and byte array access", Lengths.ARRAY,
        (sums, file, buffer, array) ->
        {
            final byte[] bytes = new byte[array];
            final ByteBuffer wrapped = ByteBuffer.wrap(bytes);
            return channel(file, (in) -> sums.arrays((same) -> in.read(wrapped.clear()), bytes));
        }),

    CHANNEL_DIRECT_BYTES("FileChannel with direct ByteBuffer and byte gets", Lengths.BUFFER,
        (sums, file, buffer, array) -> channel(file, (in) -> sums.buffers(in, ByteBuffer.allocateDirect(buffer)))),

    CHANNEL_DIRECT_ARRAY("FileChannel with direct ByteBuffer and byte array gets", Lengths.BOTH,
        (sums, file, buffer, array) -> channel(
            file, (in) -> sums.bufferArrays(in, ByteBuffer.allocateDirect(buffer), new byte[array]))),

    MAPPED_BYTES("FileChannel with MappedByteBuffer and byte gets", Lengths.NONE,
        (sums, file, buffer, array) -> channel(file, (in) -> sums.gets(mapped(in)))),

    MAPPED_ARRAY("FileChannel with MappedByteBuffer and byte array gets", Lengths.ARRAY,
        (sums, file, buffer, array) -> channel(file, (in) -> sums.arrayGets(mapped(in), new byte[array])));

    private final Sums sums = Sums.copy(false);
    private final Sums published = Sums.copy(true);
    /** Name in the article. */
    final String title;
    final Lengths lengths;
    private final Reading reading;

    ReaderStrategy(final String title, final Lengths lengths, final Reading reading)
    {
        this.title = title;
        this.lengths = lengths;
        this.reading = reading;
    }

    /**
     * Returns the sum of the bytes.
     *
     * @param bufferLength of the internal buffer; the article's BIGSIZE.
     * @param arrayLength  of the caller's array; the article's SIZE.
     */
    long read(final Path file, final int bufferLength, final int arrayLength) throws IOException
    {
        return reading.read(sums, file, bufferLength, arrayLength);
    }

    /**
     * Reads as the article does: its three strategies with {@code read()} sum unsigned bytes, the others signed ones.
     */
    long readAsPublished(final Path file, final int bufferLength, final int arrayLength) throws IOException
    {
        return reading.read(published, file, bufferLength, arrayLength);
    }

    boolean isPublishedUnsigned()
    {
        return FILE_INPUT_STREAM_BYTES == this || BUFFERED_INPUT_STREAM_BYTES == this ||
            RANDOM_ACCESS_FILE_BYTES == this;
    }

    private static long channel(final Path file, final Loop<FileChannel> loop) throws IOException
    {
        try (FileInputStream in = new FileInputStream(file.toFile()); FileChannel channel = in.getChannel())
        {
            return loop.sum(channel);
        }
    }

    private static <C extends Closeable> long using(final Opening<C> opening, final Loop<C> loop) throws IOException
    {
        try (C opened = opening.open())
        {
            return loop.sum(opened);
        }
    }

    private static ByteBuffer mapped(final FileChannel in) throws IOException
    {
        return in.map(MapMode.READ_ONLY, 0, in.size());
    }

    private interface Reading
    {
        long read(Sums sums, Path file, int bufferLength, int arrayLength) throws IOException;
    }

    private interface Opening<C>
    {
        C open() throws IOException;
    }

    private interface Loop<C>
    {
        long sum(C in) throws IOException;
    }
}
