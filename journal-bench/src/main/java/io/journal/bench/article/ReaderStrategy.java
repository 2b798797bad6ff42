package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.Closeable;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.journal.bench.run.BenchmarkCase;

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

    /** Length of buffer or array while the other one is varied: the default of the JDK's streams. */
    static final int FIXED_LENGTH = 8192;

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
        return title.endsWith("with byte reads");
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

    /** The lengths that a strategy has: an internal buffer, the caller's array, both or neither. */
    enum Lengths
    {
        NONE, BUFFER, ARRAY, BOTH;

        /** The points to measure: each length varied alone, and both together. */
        List<Point> points(final String strategy, final List<Integer> sizes)
        {
            return switch (this)
            {
                case NONE -> List.of(new Point(strategy, "none", 0, 0));
                case BUFFER -> sizes.stream().map((size) -> new Point(strategy, "buffer", size, 0)).toList();
                case ARRAY -> sizes.stream().map((size) -> new Point(strategy, "array", 0, size)).toList();
                case BOTH -> Stream.of(
                    sizes.stream().map((size) -> new Point(strategy, "buffer", size, FIXED_LENGTH)),
                    sizes.stream().map((size) -> new Point(strategy, "array", FIXED_LENGTH, size)),
                    sizes.stream().map((size) -> new Point(strategy, "both", size, size)))
                    .flatMap((each) -> each).toList();
            };
        }
    }

    /**
     * A strategy with its lengths.
     *
     * @param strategy     its name.
     * @param varied       which length varies within its series.
     * @param bufferLength 0 if it has none.
     * @param arrayLength  0 if it has none.
     */
    record Point(String strategy, String varied, int bufferLength, int arrayLength)
    {
        static Point of(final Map<String, String> parameters)
        {
            return new Point(
                parameters.get("way"), parameters.get("varied"),
                Integer.parseInt(parameters.getOrDefault("bufferLength", "0")),
                Integer.parseInt(parameters.getOrDefault("arrayLength", "0")));
        }

        /** Sets these parameters of a case that reads a file of a length. */
        BenchmarkCase describe(final BenchmarkCase benchmark, final long length)
        {
            benchmark.parameter("way", strategy).parameter("varied", varied);
            if (bufferLength > 0)
            {
                benchmark.parameter("bufferLength", bufferLength);
            }
            if (arrayLength > 0)
            {
                benchmark.parameter("arrayLength", arrayLength);
            }
            return benchmark.parameter("length", length);
        }

        /** Name of the series of points that differ only in the varied length. */
        String series()
        {
            return strategy + ("both".equals(varied) ? ", buffer and array" :
                "none".equals(varied) ? "" : ", " + varied +
                    (bufferLength > 0 && arrayLength > 0 ? ", the other of " + FIXED_LENGTH + " B" : ""));
        }

        /** The varied length. */
        int size()
        {
            return "array".equals(varied) ? arrayLength : bufferLength;
        }

        String label()
        {
            return strategy + (bufferLength > 0 ? ", buffer of " + bufferLength + " B" : "") +
                (arrayLength > 0 ? ", array of " + arrayLength + " B" : "") +
                ("both".equals(varied) ? ", both varied" : bufferLength > 0 && arrayLength > 0 ?
                    ", " + varied + " varied" : "");
        }

        /** Approximate bytes per system call, to estimate the duration. */
        int callLength()
        {
            if (strategy.startsWith("MAPPED") || strategy.endsWith("mmap"))
            {
                return FIXED_LENGTH;
            }

            // A buffered stream bypasses its buffer for long arrays.
            return Math.max(1,
                strategy.startsWith("BUFFERED") || 0 == bufferLength ? Math.max(bufferLength, arrayLength) :
                    bufferLength);
        }
    }
}
