// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.article;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.journal.bench.article.FileStrategy.BufferOutput;
import io.journal.bench.article.FileStrategy.MappedOutput;
import io.journal.bench.article.FileStrategy.UnbufferedOutput;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.RawFile;

/**
 * The program of "Java Sequential IO Performance" (Thompson, 2011), and the variants of its comments, in a process of
 * its own: runs case after case on a file that was filled with zeros once, with a garbage collection before each pass,
 * open and close inside the measured time, and no fsync. Prints the article's lines, from which {@link #parse} takes
 * the results.
 */
final class ThompsonProgram
{
    private static final Pattern LINE = Pattern.compile(
        "(\\S+)\\s+write=([\\d,]+)\\s+read=([\\d,]+) (?:bytes/sec|\\(bytes/sec\\), CPUtime=(\\d+) \\(millSec\\))");
    private static final Pattern WRITE_LINE = Pattern.compile("(\\S+)\t([\\d,]+)");
    private static final int MS_PER_S = 1000;
    private static final int NS_PER_MS = 1_000_000;
    private static final int BYTES_PER_KIB = 1024;
    private static final int BYTES_PER_MB = 1_000_000;
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss.SSS");

    // Set before the first use of a case: constants from then on.
    static long length;
    static int pageLength;

    private final String file;
    private final Variant variant;
    private int written;

    private enum Pass
    {
        WRITE,
        READ
    }

    private ThompsonProgram(final String file, final Variant variant)
    {
        this.file = file;
        this.variant = variant;
    }

    public static void main(final String[] args) throws IOException
    {
        Locale.setDefault(Locale.US);
        final Arguments arguments = Arguments.of(args);
        final String heading = arguments.text("heading", "");
        if (!heading.isEmpty())
        {
            // The article's line below its large file is longer.
            System.out.printf("%n%s%n%s%n", heading, "=".repeat(heading.startsWith("8GB") ? 12 : 11));
        }
        length = arguments.number("length");
        pageLength = arguments.length("pageLength");
        new ThompsonProgram(
            arguments.directory().resolve("test.dat").toString(), arguments.one(Variant.class, "variant")).run();
    }

    private void run() throws IOException
    {
        // Loads the classes that it needs.
        MeasuredInterval.cpuNs();
        fill();
        if (Variant.PAGES == variant)
        {
            System.out.println("Start time:" + TIME.format(LocalDateTime.now()));
            System.out.println("Nr.of iterations: " + variant.iterations + " loops");
            System.out.println("Page size : " + pageLength / BYTES_PER_KIB + " KBytes");
        }
        if (Variant.WRITES == variant)
        {
            runWrites();
        }
        else
        {
            runCases();
        }
        if (Variant.PAGES == variant)
        {
            System.out.println("End time:" + TIME.format(LocalDateTime.now()));
        }

        if (!new File(file).delete())
        {
            System.out.println("Failed to delete test file=" + new File(file).getName());
            System.out.println("Windows does not allow mapped files to be deleted.");
        }
    }

    private void runCases() throws IOException
    {
        for (final ThompsonCase each : variant.cases())
        {
            for (int i = 1; i <= variant.iterations; i++)
            {
                System.gc();
                final long cpuNs = MeasuredInterval.cpuNs();
                final long writeMs = test(each, Pass.WRITE);
                System.gc();
                final long readMs = test(each, Pass.READ);
                print(each.name(), rate(writeMs), rate(readMs), MeasuredInterval.cpuNs() - cpuNs);
            }
        }
    }

    private long test(final ThompsonCase each, final Pass pass) throws IOException
    {
        final long start = System.currentTimeMillis();
        switch (pass)
        {
            case WRITE:
                written = each.write(file);
                break;

            default:
                check(each.name(), written, each.read(file));
                break;
        }

        return System.currentTimeMillis() - start;
    }

    private void runWrites() throws IOException
    {
        System.out.println("File size " + length / BYTES_PER_MB + "mb");
        System.out.println();
        System.out.println("Test\tbytes/second write speed");
        for (final WriteCase each : WriteCase.values())
        {
            for (int i = 1; i <= variant.iterations; i++)
            {
                System.gc();
                final long cpuNs = MeasuredInterval.cpuNs();
                final long start = System.currentTimeMillis();
                final int written = each.write(file);
                final long ms = System.currentTimeMillis() - start;
                final long usedNs = MeasuredInterval.cpuNs() - cpuNs;
                check(each.title, written, ThompsonCase.RandomAccessFile.read(file));
                print(each.title, rate(ms), 0, usedNs);
            }
        }
    }

    private void print(
        final String name, final long writeRate, final long readRate, final long cpuNs)
    {
        switch (variant)
        {
            case PAGES -> System.out.format(
                "%s write=%,d read=%,d (bytes/sec), CPUtime=%d (millSec)%n", name, writeRate, readRate,
                cpuNs / NS_PER_MS);
            case WRITES -> System.out.format("%s\t%,d%n", name, writeRate);
            default -> System.out.format("%s\twrite=%,d\tread=%,d bytes/sec%n", name, writeRate, readRate);
        }
    }

    private void fill() throws IOException
    {
        final byte[] zeros = new byte[pageLength];
        try (RandomAccessFile opened = new RandomAccessFile(file, "rw"))
        {
            for (long i = 0; i < length; i += pageLength)
            {
                opened.write(zeros, 0, pageLength);
            }
        }
    }

    private static void check(final String name, final int written, final int read)
    {
        if (written != read)
        {
            throw new IllegalStateException("wrong checksum: " +
                "strategy=" + name + ", expected=" + written + ", got=" + read);
        }
    }

    private static long rate(final long ms)
    {
        return length * MS_PER_S / Math.max(1, ms);
    }

    /**
     * Results of the printed lines.
     *
     * @param file words for the file and what else is the same, for the labels.
     */
    static List<RawFile.Line> parse(final String file, final List<String> printed)
    {
        final Map<String, Integer> iterations = new HashMap<>();
        final List<RawFile.Line> lines = new ArrayList<>();
        for (final String text : printed)
        {
            final Matcher both = LINE.matcher(text);
            final Matcher write = WRITE_LINE.matcher(text);
            final Map<String, String> found = new TreeMap<>();
            if (both.matches())
            {
                found.put(FileTrial.READ, both.group(3).replace(",", ""));
                if (null != both.group(4))
                {
                    found.put("cpuUs", both.group(4) + "000");
                }
            }
            final Matcher matcher = both.matches() ? both : write;
            if (matcher.matches())
            {
                found.put(FileTrial.WRITE, matcher.group(2).replace(",", ""));
                final String name = matcher.group(1);
                lines.add(new RawFile.Line(
                    iterations.merge(name, 1, Integer::sum), name + ", " + file, Map.of("way", name), found));
            }
        }
        return lines;
    }

    /** Variants of the program. */
    enum Variant
    {
        /** The article: four cases, five times each. */
        ARTICLE(5),

        /** From a comment: each case with single bytes also with an array of a page. */
        ARRAYS(5),

        /** From a comment: a system call per byte and per page; once, since it takes long. */
        BYTES(1),

        /** From a comment: several page lengths, once each; CPU time is our addition. */
        PAGES(1),

        /** From a comment: writes only, three times each, in two columns. */
        WRITES(3);

        final int iterations;

        Variant(final int iterations)
        {
            this.iterations = iterations;
        }

        List<ThompsonCase> cases()
        {
            return switch (this)
            {
                case ARRAYS -> List.of(
                    ThompsonCase.RandomAccessFile, ThompsonCase.BufferedStreamFile, ThompsonCase.BufferedStreamFile2,
                    ThompsonCase.BufferedChannelFile, ThompsonCase.BufferedChannelFile2, ThompsonCase.MemoryMappedFile,
                    ThompsonCase.MemoryMappedFile2);
                case BYTES -> List.of(ThompsonCase.RandomAccessFile, ThompsonCase.RandomAccessFileByte);
                default -> List.of(
                    ThompsonCase.RandomAccessFile, ThompsonCase.BufferedStreamFile, ThompsonCase.BufferedChannelFile,
                    ThompsonCase.MemoryMappedFile);
            };
        }

        /** Whether the length precedes the results of a file; two of the comments print lines of their own instead. */
        boolean hasHeading()
        {
            return PAGES != this && WRITES != this;
        }
    }

    /** The write-only cases of a comment on the article, a page at a time, under the comment's names. */
    enum WriteCase
    {
        ARRAY("RandomAccessFile.byte[]-rw", (file) -> UnbufferedOutput.of(new RandomAccessFile(file, "rw"))),

        BUFFERED_STREAM("BufferedOutputStream-FileOutputStream",
            (file) -> new BufferedOutputStream(new FileOutputStream(file))),

        STREAM("FileOutputStream", FileOutputStream::new),

        HEAP_BUFFER("RandomAccessFile.ByteBuffer-rw", (file) -> new BufferOutput(
            new RandomAccessFile(file, "rw").getChannel(), ByteBuffer.allocate(ThompsonCase.PAGE_LENGTH))),

        DIRECT_BUFFER("RandomAccessFile.DirectByteBuffer-rw", (file) -> new BufferOutput(
            new RandomAccessFile(file, "rw").getChannel(), ByteBuffer.allocateDirect(ThompsonCase.PAGE_LENGTH))),

        MAPPED("RandomAccessFile.MappedByteBuffer-rw", (file) -> new MappedOutput(
            new RandomAccessFile(file, "rw").getChannel(), ThompsonCase.LENGTH)),

        CHANNEL_MAPPED("WritableByteChannel.MappedByteBuffer-rw", (file) -> new MappedOutput(
            FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE), ThompsonCase.LENGTH));

        private final String title;
        private final Opening opening;

        private interface Opening
        {
            OutputStream open(String file) throws IOException;
        }

        WriteCase(final String title, final Opening opening)
        {
            this.title = title;
            this.opening = opening;
        }

        /** Returns the sum of the bytes. */
        int write(final String file) throws IOException
        {
            try (OutputStream out = opening.open(file))
            {
                return ThompsonCase.writePages(out);
            }
        }
    }
}
