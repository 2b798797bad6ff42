// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.bench.article.NadeauWay.Point;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.RawFile;
import io.journal.bench.run.Unit;

/**
 * The program of "How to read files quickly" (Nadeau, 2008): its thirteen ways one after the other in one JVM, on a
 * file in the page cache, open and close inside the measured time, with the article's own sums. A pass that would
 * exceed a limit reads only the beginning of the file.
 */
final class NadeauProgram
{
    private static final Pattern LINE = Pattern.compile(
        "(.+?) {2,}([\\d-]+) +([\\d-]+) +([\\d.]+) +(\\d+) +(-?\\d+) *(buffer|array|both|none)");
    private static final int FIRST_LENGTH = 1024 * 1024;
    private static final int GROWTH = 4;

    private NadeauProgram()
    {
    }

    public static void main(final String[] args) throws IOException
    {
        Locale.setDefault(Locale.US);
        final Arguments arguments = Arguments.of(args);
        final long wholeLength = arguments.number("length");
        final double limitNs = arguments.number("limitMs") * Unit.NS_PER_MS;
        final List<Integer> sizes =
            Arrays.stream(arguments.text("sizes").split("/")).map(Integer::valueOf).toList();
        // Copies of the loops for each way: the article has separate methods.
        final Map<NadeauWay, Sums> sums = new EnumMap<>(NadeauWay.class);
        Arrays.stream(NadeauWay.values()).forEach((way) -> sums.put(way, Sums.copy(way.isPublishedUnsigned())));
        System.out.printf(
            "%-56s %10s %10s %11s %10s %13s%n", "", "buffer", "array", "s", "B", "checkSum");
        for (final NadeauWay way : NadeauWay.values())
        {
            for (final Point point : way.points(sizes))
            {
                long length = Math.min(FIRST_LENGTH, wholeLength);
                long ns = read(sums.get(way), way, point, arguments.directory(), length);
                while (length < wholeLength && (0 == limitNs || ns * GROWTH <= limitNs))
                {
                    length = 0 == limitNs ? wholeLength : Math.min(GROWTH * length, wholeLength);
                    ns = read(sums.get(way), way, point, arguments.directory(), length);
                }
                System.out.printf(
                    "%-56s %10s %10s %11.6f %10d %13d %s%n", way.title, orDash(point.bufferLength()),
                    orDash(point.arrayLength()), ns / Unit.NS_PER_S, length, sum(way, length), point.varied());
            }
        }
    }

    private static long read(
        final Sums sums, final NadeauWay way, final Point point, final Path directory, final long length)
        throws IOException
    {
        final Path file = directory.resolve("read-" + length + ".dat");
        if (!file.toFile().exists())
        {
            Content.write(file, length);
        }
        final long start = System.nanoTime();
        final long sum = way.strategy.read(sums, file, point.bufferLength(), point.arrayLength());
        final long ns = System.nanoTime() - start;
        Content.check("checksum: way=" + way, sum(way, length), sum);
        return ns;
    }

    private static long sum(final NadeauWay way, final long length)
    {
        return way.isPublishedUnsigned() ? Content.unsignedSum(length) : Content.sum(length);
    }

    private static String orDash(final int bytes)
    {
        return 0 == bytes ? "-" : Integer.toString(bytes);
    }

    /** Results of the printed lines. */
    static List<RawFile.Line> parse(final List<String> printed)
    {
        return printed.stream().map(LINE::matcher).map((line) -> line.matches() ? line(line) : null)
            .filter(Objects::nonNull).toList();
    }

    private static RawFile.Line line(final Matcher line)
    {
        final NadeauWay way = Arrays.stream(NadeauWay.values())
            .filter((each) -> each.title.equals(line.group(1))).findFirst().orElseThrow();
        final Point point = new Point(
            way.name(), line.group(7), Integer.parseInt("0" + line.group(2).replace("-", "")),
            Integer.parseInt("0" + line.group(3).replace("-", "")));
        final double seconds = Double.parseDouble(line.group(4));
        final long length = Long.parseLong(line.group(5));
        final Map<String, String> found = new LinkedHashMap<>();
        found.put(FileTrial.READ, Double.toString(length / Math.max(seconds, 1 / Unit.NS_PER_MS)));
        found.put(FileTrial.READ_LENGTH, line.group(5));
        found.put("sum", line.group(6));
        return new RawFile.Line(1, point.label(), parameters(point), found);
    }

    static Map<String, String> parameters(final Point point)
    {
        final Map<String, String> parameters = new LinkedHashMap<>(
            Map.of("way", point.way(), "varied", point.varied()));
        if (point.bufferLength() > 0)
        {
            parameters.put("bufferLength", Integer.toString(point.bufferLength()));
        }
        if (point.arrayLength() > 0)
        {
            parameters.put("arrayLength", Integer.toString(point.arrayLength()));
        }
        return parameters;
    }
}
