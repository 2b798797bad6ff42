package io.journal.bench.article.streams;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntFunction;

import io.journal.bench.article.Content;
import io.journal.bench.article.FileStrategy;
import io.journal.bench.article.Sequential;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Spread;

/**
 * Measures one case after a warm-up: a generator, whose file is then verified, or an input, whose file was prepared.
 */
final class StreamsTrial
{
    static final String ELAPSED = "elapsedNs";
    static final String FIRST_ALLOCATION = "firstAllocationNs";
    static final String LATER_ALLOCATION = "laterAllocationNs";

    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final int LATER_ALLOCATIONS = 9;
    private static final double NS_PER_S = 1e9;

    /** Unit of a call. */
    enum Granularity
    {
        BYTE,
        ARRAY
    }

    private final Path file;
    private final FileStrategy strategy;
    private final Granularity granularity;
    private final int bufferLength;
    private final long length;
    private final Profile profile;
    private final Lines lines;

    private StreamsTrial(final Arguments args)
    {
        file = args.directory().resolve("test.txt");
        strategy = args.one(ArticleCase.class, "way").fairStrategy;
        granularity = args.one(Granularity.class, "granularity");
        bufferLength = args.length("bufferLength");
        length = args.number("length");
        profile = args.one(Profile.class, "profile");
        lines = new Lines(bufferLength);
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final StreamsTrial trial = new StreamsTrial(arguments);
        final ArticleCase original = arguments.one(ArticleCase.class, "way");
        if (original.isAllocating())
        {
            // First, before any buffer was allocated.
            trial.printAllocations();
        }
        if (original.isGenerator())
        {
            trial.measureWriting();
        }
        else
        {
            trial.measureReading();
        }
    }

    /** Time of the first buffer allocation of the process, and the median of the following ones. */
    private void printAllocations()
    {
        final IntFunction<ByteBuffer> allocator =
            FileStrategy.CHANNEL_DIRECT == strategy ? ByteBuffer::allocateDirect : ByteBuffer::allocate;
        final ByteBuffer[] buffers = new ByteBuffer[1 + LATER_ALLOCATIONS];
        final double[] times = new double[buffers.length];
        for (int i = 0; i < buffers.length; i++)
        {
            final long start = System.nanoTime();
            buffers[i] = allocator.apply(bufferLength);
            times[i] = System.nanoTime() - start;
        }
        if (buffers[LATER_ALLOCATIONS].capacity() != bufferLength)
        {
            throw new IllegalStateException("nothing was allocated");
        }

        Child.print(FIRST_ALLOCATION, (long)times[0]);
        Child.print(LATER_ALLOCATION, Spread.of(Arrays.copyOfRange(times, 1, times.length)).median());
    }

    private void measureWriting() throws IOException
    {
        final boolean isDurable = Profile.DURABLE == profile;
        for (int i = 0; i < WARM_UPS; i++)
        {
            Files.deleteIfExists(file);
            write(Math.min(length, WARM_UP_LENGTH), false);
        }
        Files.delete(file);
        System.gc();
        final MeasuredInterval usage = MeasuredInterval.start();
        final long start = System.nanoTime();
        final long forceNs = write(length, isDurable);
        final long elapsedNs = System.nanoTime() - start;
        usage.print("write");
        lines.verify(file, length);
        Child.print(ELAPSED, elapsedNs);
        Child.print(Sequential.WRITE, length * NS_PER_S / (elapsedNs - forceNs));
        if (isDurable)
        {
            Child.print(Sequential.DURABLE, length * NS_PER_S / elapsedNs);
        }
    }

    /**
     * Opens, writes and closes.
     *
     * @return nanoseconds of the fsync.
     */
    private long write(final long count, final boolean isDurable) throws IOException
    {
        final byte[] line = lines.line();
        final int half = half();
        long forceNs = 0;
        try (OutputStream output = strategy.output(file, count, bufferLength))
        {
            for (long offset = 0; offset < count; offset += line.length)
            {
                final int lineLength = (int)Math.min(line.length, count - offset);
                if (Granularity.ARRAY == granularity)
                {
                    output.write(line, 0, Math.min(half, lineLength));
                    output.write(line, half, Math.max(0, lineLength - half));
                }
                else
                {
                    for (int i = 0; i < lineLength; i++)
                    {
                        output.write(line[i]);
                    }
                }
            }
            if (isDurable)
            {
                final long start = System.nanoTime();
                FileStrategy.force(output, file);
                forceNs = System.nanoTime() - start;
            }
        }

        return forceNs;
    }

    private void measureReading() throws IOException, InterruptedException
    {
        final long warmUpLength = Math.min(length, WARM_UP_LENGTH);
        lines.write(file, warmUpLength);
        for (int i = 0; i < WARM_UPS; i++)
        {
            Content.check("checksum", lines.sum(warmUpLength), read());
        }

        lines.write(file, length);
        // Fsynced so that no writeback competes with the reads.
        ColdRead.force(file);
        System.gc();
        final ColdRead cold = new ColdRead(profile, file);
        cold.begin();
        final MeasuredInterval interval = MeasuredInterval.start();
        final long sum = read();
        interval.rate(Sequential.READ, length);
        interval.print("read");
        cold.end(length);
        cold.print();
        Content.check("checksum", lines.sum(length), sum);
        Child.print(ELAPSED, interval.elapsedNs());
    }

    /** Length of arrays: shorter than the buffer, since buffered streams bypass it otherwise and save a copy. */
    private int half()
    {
        return (bufferLength + 1) / 2;
    }

    /**
     * Opens, reads and closes.
     *
     * @return sum of all bytes.
     */
    private long read() throws IOException
    {
        long sum = 0;
        try (InputStream input = strategy.input(file, bufferLength))
        {
            if (Granularity.ARRAY == granularity)
            {
                final byte[] array = new byte[half()];
                for (int count = input.read(array); count > 0; count = input.read(array))
                {
                    for (int i = 0; i < count; i++)
                    {
                        sum += array[i];
                    }
                }
            }
            else
            {
                for (int next = input.read(); next >= 0; next = input.read())
                {
                    sum += (byte)next;
                }
            }
        }

        return sum;
    }
}
