package io.journal.bench.article;

import java.io.BufferedOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.format.DateTimeFormatter;
import java.util.List;

import com.sun.management.OperatingSystemMXBean;
import io.journal.bench.article.FileStreams.BufferOutput;
import io.journal.bench.article.FileStreams.MappedOutput;
import io.journal.bench.article.FileStreams.UnbufferedOutput;
import io.journal.bench.run.Arguments;

/**
 * The article's program, in a process of its own: runs case after case on a file that was filled with zeros once, with
 * a garbage collection before each pass, open and close inside the measured time, and no fsync. Prints the article's
 * lines, each followed by one for the parent process.
 */
final class ArticleProgram
{
    /** Prefix of a line for the parent process: case, iteration, write rate, read rate, CPU time in us. */
    static final String RESULT = "result=";

    private static final int MS_PER_S = 1000;
    private static final int NS_PER_US = 1000;
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

    private ArticleProgram(final String file, final Variant variant)
    {
        this.file = file;
        this.variant = variant;
    }

    public static void main(final String[] args) throws IOException
    {
        final Arguments arguments = Arguments.of(args);
        length = arguments.number("length");
        pageLength = arguments.length("pageLength");
        new ArticleProgram(
            arguments.directory().resolve("test.dat").toString(), arguments.one(Variant.class, "variant")).run();
    }

    private void run() throws IOException
    {
        // Loads the classes that it needs.
        cpuNs();
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
        for (final ArticleCase each : variant.cases())
        {
            for (int i = 1; i <= variant.iterations; i++)
            {
                System.gc();
                final long cpuNs = cpuNs();
                final long writeMs = test(each, Pass.WRITE);
                System.gc();
                final long readMs = test(each, Pass.READ);
                print(each.name(), i, rate(writeMs), rate(readMs), cpuNs() - cpuNs);
            }
        }
    }

    private long test(final ArticleCase each, final Pass pass) throws IOException
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
                final long cpuNs = cpuNs();
                final long start = System.currentTimeMillis();
                final int written = each.write(file);
                final long ms = System.currentTimeMillis() - start;
                final long usedNs = cpuNs() - cpuNs;
                check(each.title, written, ArticleCase.RandomAccessFile.read(file));
                print(each.title, i, rate(ms), 0, usedNs);
            }
        }
    }

    private void print(
        final String name, final int iteration, final long writeRate, final long readRate, final long cpuNs)
    {
        switch (variant)
        {
            case PAGES -> System.out.format(
                "%s write=%,d read=%,d (bytes/sec), CPUtime=%d (millSec)%n", name, writeRate, readRate,
                cpuNs / NS_PER_MS);
            case WRITES -> System.out.format("%s\t%,d%n", name, writeRate);
            default -> System.out.format("%s\twrite=%,d\tread=%,d bytes/sec%n", name, writeRate, readRate);
        }
        System.out.println(
            RESULT + String.join(" ", name, "" + iteration, "" + writeRate, "" + readRate, "" + cpuNs / NS_PER_US));
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

    private static long cpuNs()
    {
        return ((OperatingSystemMXBean)ManagementFactory.getOperatingSystemMXBean()).getProcessCpuTime();
    }

    /** Variants of the program. */
    enum Variant
    {
        /** The article: four cases, five times each. */
        ARTICLE(5, 4),

        /** From a comment: each case with single bytes also with an array of a page. */
        ARRAYS(5, 7),

        /** From a comment: a system call per byte and per page; once, since it takes long. */
        BYTES(1, 2),

        /** From a comment: several page lengths, once each; CPU time is our addition. */
        PAGES(1, 4),

        /** From a comment: writes only, three times each, in two columns. */
        WRITES(3, 7);

        final int iterations;
        private final int caseCount;

        Variant(final int iterations, final int caseCount)
        {
            this.iterations = iterations;
            this.caseCount = caseCount;
        }

        List<ArticleCase> cases()
        {
            return switch (this)
            {
                case ARRAYS -> List.of(
                    ArticleCase.RandomAccessFile, ArticleCase.BufferedStreamFile, ArticleCase.BufferedStreamFile2,
                    ArticleCase.BufferedChannelFile, ArticleCase.BufferedChannelFile2, ArticleCase.MemoryMappedFile,
                    ArticleCase.MemoryMappedFile2);
                case BYTES -> List.of(ArticleCase.RandomAccessFile, ArticleCase.RandomAccessFileByte);
                default -> List.of(
                    ArticleCase.RandomAccessFile, ArticleCase.BufferedStreamFile, ArticleCase.BufferedChannelFile,
                    ArticleCase.MemoryMappedFile);
            };
        }

        /** Whether the length precedes the results of a file; two of the comments print lines of their own instead. */
        boolean hasHeading()
        {
            return PAGES != this && WRITES != this;
        }

        /** Number of results. Does not use the cases, whose lengths are constants of one JVM. */
        int results()
        {
            return iterations * caseCount;
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
            new RandomAccessFile(file, "rw").getChannel(), ByteBuffer.allocate(ArticleCase.PAGE_LENGTH))),

        DIRECT_BUFFER("RandomAccessFile.DirectByteBuffer-rw", (file) -> new BufferOutput(
            new RandomAccessFile(file, "rw").getChannel(), ByteBuffer.allocateDirect(ArticleCase.PAGE_LENGTH))),

        MAPPED("RandomAccessFile.MappedByteBuffer-rw", (file) -> new MappedOutput(
            new RandomAccessFile(file, "rw").getChannel(), ArticleCase.LENGTH)),

        CHANNEL_MAPPED("WritableByteChannel.MappedByteBuffer-rw", (file) -> new MappedOutput(
            FileChannel.open(Path.of(file), StandardOpenOption.READ, StandardOpenOption.WRITE), ArticleCase.LENGTH));

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
                return ArticleCase.writePages(out);
            }
        }
    }
}
