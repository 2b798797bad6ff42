// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.util.List;
import java.util.stream.Stream;

/**
 * The thirteen ways of "How to read files quickly" (Nadeau, 2008), in its order.
 */
enum NadeauWay
{
    FILE_INPUT_STREAM_BYTES("FileInputStream with byte reads", FileStrategy.STREAM, Lengths.NONE),
    FILE_INPUT_STREAM_ARRAY("FileInputStream with byte array reads", FileStrategy.STREAM, Lengths.ARRAY),
    BUFFERED_INPUT_STREAM_BYTES("BufferedInputStream with byte reads", FileStrategy.BUFFERED_STREAM, Lengths.BUFFER),
    BUFFERED_INPUT_STREAM_ARRAY(
        "BufferedInputStream with byte array reads", FileStrategy.BUFFERED_STREAM, Lengths.BOTH),
    RANDOM_ACCESS_FILE_BYTES("RandomAccessFile with byte reads", FileStrategy.RANDOM_ACCESS_FILE, Lengths.NONE),
    RANDOM_ACCESS_FILE_ARRAY("RandomAccessFile with byte array reads", FileStrategy.RANDOM_ACCESS_FILE, Lengths.ARRAY),
    CHANNEL_HEAP_BYTES("FileChannel with ByteBuffer and byte gets", FileStrategy.CHANNEL_HEAP_COPY, Lengths.BUFFER),
    CHANNEL_HEAP_ARRAY("FileChannel with ByteBuffer and byte array gets", FileStrategy.CHANNEL_HEAP_COPY, Lengths.BOTH),
    CHANNEL_WRAPPED_ARRAY(
        "FileChannel with array ByteBuffer and byte array access", FileStrategy.CHANNEL_HEAP, Lengths.ARRAY),
    CHANNEL_DIRECT_BYTES("FileChannel with direct ByteBuffer and byte gets", FileStrategy.CHANNEL_DIRECT,
        Lengths.BUFFER),
    CHANNEL_DIRECT_ARRAY(
        "FileChannel with direct ByteBuffer and byte array gets", FileStrategy.CHANNEL_DIRECT, Lengths.BOTH),
    MAPPED_BYTES("FileChannel with MappedByteBuffer and byte gets", FileStrategy.MAPPED, Lengths.NONE),
    MAPPED_ARRAY("FileChannel with MappedByteBuffer and byte array gets", FileStrategy.MAPPED, Lengths.ARRAY);

    /** Length of the buffer or the array while the length of the other varies: the default of the JDK's streams. */
    static final int FIXED_LENGTH = 8192;

    final String title;
    final FileStrategy strategy;
    private final Lengths lengths;

    NadeauWay(final String title, final FileStrategy strategy, final Lengths lengths)
    {
        this.title = title;
        this.strategy = strategy;
        this.lengths = lengths;
    }

    /** Whether the article sums the values that {@code read()} returns, 0 to 255, instead of signed bytes. */
    boolean isPublishedUnsigned()
    {
        return title.endsWith("with byte reads");
    }

    List<Point> points(final List<Integer> sizes)
    {
        return lengths.points(name(), sizes);
    }

    /** The lengths that a way has: an internal buffer, the caller's array, both or neither. */
    enum Lengths
    {
        NONE, BUFFER, ARRAY, BOTH;

        /** The points to measure: each length varied alone, and both together. */
        List<Point> points(final String way, final List<Integer> sizes)
        {
            return switch (this)
            {
                case NONE -> List.of(new Point(way, "none", 0, 0));
                case BUFFER -> sizes.stream().map((size) -> new Point(way, "buffer", size, 0)).toList();
                case ARRAY -> sizes.stream().map((size) -> new Point(way, "array", 0, size)).toList();
                case BOTH -> Stream.of(
                    sizes.stream().map((size) -> new Point(way, "buffer", size, FIXED_LENGTH)),
                    sizes.stream().map((size) -> new Point(way, "array", FIXED_LENGTH, size)),
                    sizes.stream().map((size) -> new Point(way, "both", size, size)))
                    .flatMap((each) -> each).toList();
            };
        }
    }

    /**
     * A way with its lengths.
     *
     * @param varied       which length varies within its series.
     * @param bufferLength the article's BIGSIZE; 0 if it has none.
     * @param arrayLength  the article's SIZE; 0 if it has none.
     */
    record Point(String way, String varied, int bufferLength, int arrayLength)
    {
        String label()
        {
            return way + (bufferLength > 0 ? ", buffer of " + bufferLength + " B" : "") +
                (arrayLength > 0 ? ", array of " + arrayLength + " B" : "") +
                ("both".equals(varied) ? ", both varied" : bufferLength > 0 && arrayLength > 0 ?
                    ", " + varied + " varied" : "");
        }
    }
}
