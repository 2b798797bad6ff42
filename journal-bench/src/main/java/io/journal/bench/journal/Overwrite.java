package io.journal.bench.journal;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Child;
import io.journal.bench.run.MeasuredInterval;
import org.HdrHistogram.Histogram;

/**
 * The cost of durability without a journal: one thread overwrites a preallocated file record by record, each with a
 * positional write and an fdatasync. In C if there is a compiler, and in Java.
 */
public final class Overwrite
{
    public static final String RATE = "recordsPerSecond";

    private static final int FILL_LENGTH = 16 * 1024;
    private static final double NS_PER_US = 1e3;
    private static final double NS_PER_S = 1e9;

    private Overwrite()
    {
    }

    /**
     * Compiles the C program.
     *
     * @return the program, or null if there is no compiler.
     */
    public static Path compile(final Path directory) throws IOException, InterruptedException
    {
        return Child.compileC(Overwrite.class, "overwrite", directory);
    }

    /**
     * The loop in Java, with the arguments and the output of the C program.
     */
    public static void main(final String[] args) throws IOException
    {
        Child.endWithParent();
        final Path path = Path.of(args[0]).resolve("overwritten");
        final ByteBuffer content = ByteBuffer.allocateDirect(Integer.parseInt(args[1]));
        final long fileLength = Long.parseLong(args[2]);
        final long warmUpNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[3]));
        final long countedNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[4]));
        try (FileChannel channel = FileChannel.open(path, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE))
        {
            fill(channel, fileLength);
            loop(channel, content, fileLength, warmUpNs, 0);
            loop(channel, content, fileLength, 0, countedNs);
        }
    }

    private static void loop(
        final FileChannel channel,
        final ByteBuffer content,
        final long fileLength,
        final long warmUpNs,
        final long countedNs) throws IOException
    {
        final Histogram latencies = new Histogram(3);
        final MeasuredInterval usage = MeasuredInterval.start();
        final long start = System.nanoTime();
        final long end = start + warmUpNs + countedNs;
        final long perFile = fileLength / content.capacity();
        long count = 0;
        long now = start;
        do
        {
            content.clear().put(0, (byte)(1 + (count & 63)));
            write(channel, content, count % perFile * content.capacity());
            channel.force(false);
            count++;

            final long before = now;
            now = System.nanoTime();
            latencies.recordValue(now - before);
        }
        while (now < end);

        if (countedNs > 0)
        {
            usage.print("");
            System.out.println(RATE + '=' + count * NS_PER_S / (now - start));
            print(latencies);
            System.out.println("bytes=" + fileLength);
        }
    }

    /**
     * Prints percentiles in microseconds of a histogram in nanoseconds.
     */
    public static void print(final Histogram latencies)
    {
        System.out.println("p50Us=" + latencies.getValueAtPercentile(50) / NS_PER_US);
        System.out.println("p99Us=" + latencies.getValueAtPercentile(99) / NS_PER_US);
        System.out.println("maxUs=" + latencies.getMaxValue() / NS_PER_US);
    }

    private static void fill(final FileChannel channel, final long length) throws IOException
    {
        final ByteBuffer zeros = ByteBuffer.allocateDirect(FILL_LENGTH);
        for (long offset = 0; offset < length; offset += FILL_LENGTH)
        {
            write(channel, zeros.clear().limit((int)Math.min(FILL_LENGTH, length - offset)), offset);
        }
        channel.force(true);
    }

    private static void write(final FileChannel channel, final ByteBuffer source, final long offset) throws IOException
    {
        long at = offset;
        while (source.hasRemaining())
        {
            at += channel.write(source, at);
        }
    }
}
