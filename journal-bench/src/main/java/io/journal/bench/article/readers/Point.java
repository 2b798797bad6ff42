package io.journal.bench.article.readers;

import java.util.LinkedHashMap;
import java.util.Map;

import io.journal.bench.run.Arguments;

/**
 * A strategy with its lengths.
 *
 * @param strategy          its name.
 * @param varied       which length varies within its series.
 * @param bufferLength 0 if it has none.
 * @param arrayLength  0 if it has none.
 */
record Point(String strategy, String varied, int bufferLength, int arrayLength)
{
    static Point of(final Arguments args)
    {
        return new Point(
            args.text("way"), args.text("varied"), Integer.parseInt(args.values().getOrDefault("bufferLength", "0")),
            Integer.parseInt(args.values().getOrDefault("arrayLength", "0")));
    }

    /**
     * Name of the series of points that differ only in the varied length.
     */
    String series()
    {
        return strategy + ("both".equals(varied) ? ", buffer and array" :
            "none".equals(varied) ? "" : ", " + varied +
                (bufferLength > 0 && arrayLength > 0 ? ", the other of " + Lengths.FIXED_LENGTH + " B" : ""));
    }

    /**
     * The varied length.
     */
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

    Map<String, String> parameters(final long length)
    {
        final Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("way", strategy);
        parameters.put("varied", varied);
        if (bufferLength > 0)
        {
            parameters.put("bufferLength", Integer.toString(bufferLength));
        }
        if (arrayLength > 0)
        {
            parameters.put("arrayLength", Integer.toString(arrayLength));
        }
        parameters.put("length", Long.toString(length));
        return parameters;
    }

    /**
     * Approximate bytes per system call, to estimate the duration.
     */
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
}
