// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.RawFile;
import io.journal.bench.run.Unit;

/**
 * The measurement of PureSol Technologies: a file of 1 MB, byte by byte, ten times with each buffer in one JVM, without
 * warm-up, from the smallest buffer up; MB of 1,000,000 B, sigma of the population. Writing, which the article left for
 * later, is ours.
 */
final class PureSolProgram
{
    /** Lengths of buffers in kB of 1024 B; 0 is the stream without a buffer. */
    static final List<Integer> BUFFERS_KB = List.of(0, 1, 2, 4, 8, 12, 16, 24, 32, 40, 48, 56, 64, 128, 256);
    private static final Pattern LINE = Pattern.compile(
        "(\\d+) \\| ([\\d.E-]+) \\| ([\\d.E-]+) \\| ([\\d.E-]+) \\| ([\\d.E-]+) \\|");
    private static final double MB = 1e6;

    private PureSolProgram()
    {
    }

    public static void main(final String[] args) throws IOException
    {
        final Arguments arguments = Arguments.of(args);
        final Path file = arguments.directory().resolve("test.dat");
        final long length = arguments.number("length");
        for (final boolean isWriting : new boolean[]{ false, true })
        {
            System.out.println(isWriting ? "written:" : "read:");
            System.out.println("BufferSize | minThroughput | maxThroughput | meanThroughput | sigmaThroughput |");
            Content.write(file, length);
            for (final int buffer : BUFFERS_KB)
            {
                final double[] rates = new double[arguments.length("repeats")];
                for (int i = 0; i < rates.length; i++)
                {
                    final long start = System.nanoTime();
                    final long sum = isWriting ? write(file, length, buffer * Unit.KIB) : read(file, buffer * Unit.KIB);
                    rates[i] = length * Unit.NS_PER_S / (System.nanoTime() - start) / MB;
                    Content.check("checksum", Content.unsignedSum(length), sum);
                    Content.verify(file, length);
                }
                final double mean = Arrays.stream(rates).average().orElseThrow();
                final double squares = Arrays.stream(rates).map((rate) -> (rate - mean) * (rate - mean)).sum();
                System.out.println(
                    buffer + " | " + Arrays.stream(rates).min().orElseThrow() + " | " +
                        Arrays.stream(rates).max().orElseThrow() + " | " + mean + " | " +
                        Math.sqrt(squares / rates.length) + " |");
            }
        }
    }

    private static long read(final Path file, final int bufferLength) throws IOException
    {
        long sum = 0;
        final InputStream bare = new FileInputStream(file.toFile());
        try (InputStream in = 0 == bufferLength ? bare : new BufferedInputStream(bare, bufferLength))
        {
            for (int next = in.read(); next >= 0; next = in.read())
            {
                sum += next;
            }
        }
        return sum;
    }

    private static long write(final Path file, final long length, final int bufferLength) throws IOException
    {
        long sum = 0;
        final OutputStream bare = new FileOutputStream(file.toFile());
        try (OutputStream out = 0 == bufferLength ? bare : new BufferedOutputStream(bare, bufferLength))
        {
            for (long offset = 0; offset < length; offset++)
            {
                final int next = Content.at(offset) & 0xFF;
                sum += next;
                out.write(next);
            }
        }
        return sum;
    }

    /** The article prints no single measurement: a round is the minimum, one the maximum, one the mean. */
    static List<RawFile.Line> parse(final List<String> printed)
    {
        final List<RawFile.Line> lines = new ArrayList<>();
        boolean isWriting = false;
        for (final String text : printed)
        {
            isWriting |= "written:".equals(text);
            final Matcher line = LINE.matcher(text);
            if (line.matches())
            {
                final int buffer = Integer.parseInt(line.group(1)) * Unit.KIB;
                for (int round = 1; round <= 3; round++)
                {
                    lines.add(new RawFile.Line(
                        round, label(isWriting, buffer), parameters(isWriting, buffer), Map.of(
                            isWriting ? FileTrial.WRITE : FileTrial.READ,
                            Double.toString(MB * Double.parseDouble(line.group(1 + round))))));
                }
            }
        }
        return lines;
    }

    static String label(final boolean isWriting, final int bufferLength)
    {
        return (isWriting ? "write, " : "read, ") +
            (0 == bufferLength ? "no buffer" : "buffer of " + bufferLength / Unit.KIB + " kB");
    }

    static Map<String, String> parameters(final boolean isWriting, final int bufferLength)
    {
        return Map.of(
            "bufferLength", Integer.toString(bufferLength), "direction", isWriting ? "write" : "read", "way",
            (0 == bufferLength ? "File" : "Buffered") + (isWriting ? "OutputStream" : "InputStream"));
    }
}
