package io.journal.bench.article.readers;

import java.util.LinkedHashMap;
import java.util.Map;

import io.journal.bench.run.Arguments;

/**
 * A way with its lengths.
 *
 * @param way          its name.
 * @param varied       which of its lengths others of its series have differently.
 * @param bufferLength 0 if it has none.
 * @param arrayLength  0 if it has none.
 */
record Point(String way, String varied, int bufferLength, int arrayLength)
{
    static Point of(final Arguments args)
    {
        return new Point(
            args.text("way"), args.text("varied"), Integer.parseInt(args.values().getOrDefault("bufferLength", "0")),
            Integer.parseInt(args.values().getOrDefault("arrayLength", "0")));
    }

    /**
     * Those that differ in what is varied only.
     */
    String series()
    {
        return way + ("both".equals(varied) ? ", buffer and array" :
            "none".equals(varied) ? "" : ", " + varied +
                (bufferLength > 0 && arrayLength > 0 ? ", the other of " + Lengths.FIXED_LENGTH + " B" : ""));
    }

    /**
     * The length that is varied.
     */
    int size()
    {
        return "array".equals(varied) ? arrayLength : bufferLength;
    }

    String label()
    {
        return way + (bufferLength > 0 ? ", buffer of " + bufferLength + " B" : "") +
            (arrayLength > 0 ? ", array of " + arrayLength + " B" : "") +
            ("both".equals(varied) ? ", both varied" : bufferLength > 0 && arrayLength > 0 ?
                ", " + varied + " varied" : "");
    }

    Map<String, String> parameters(final long length)
    {
        final Map<String, String> parameters = new LinkedHashMap<>();
        parameters.put("way", way);
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
     * How many bytes a call of the operating system moves, about: for an estimate of its time.
     */
    int callLength()
    {
        if (way.startsWith("MAPPED") || way.endsWith("mmap"))
        {
            return Lengths.FIXED_LENGTH;
        }

        // A stream passes reads of long arrays by its buffer.
        return Math.max(1, way.startsWith("BUFFERED") || 0 == bufferLength ? Math.max(bufferLength, arrayLength) :
            bufferLength);
    }
}
