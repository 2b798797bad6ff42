package io.journal.bench.article.readers;

import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

import io.journal.bench.run.BenchmarkCase;

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
                (bufferLength > 0 && arrayLength > 0 ? ", the other of " + Lengths.FIXED_LENGTH + " B" : ""));
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
            return Lengths.FIXED_LENGTH;
        }

        // A buffered stream bypasses its buffer for long arrays.
        return Math.max(1, strategy.startsWith("BUFFERED") || 0 == bufferLength ? Math.max(bufferLength, arrayLength) :
            bufferLength);
    }

    /** The lengths that a strategy has: an internal buffer, the caller's array, both or neither. */
    enum Lengths
    {
        NONE,
        BUFFER,
        ARRAY,
        BOTH;

        /** Length of the one that is not varied: the default of the JDK's streams. */
        static final int FIXED_LENGTH = 8192;

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
                    .flatMap(Function.identity()).toList();
            };
        }
    }
}
