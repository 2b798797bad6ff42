package io.journal.bench.article;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

import io.journal.bench.article.StreamsProgram.Case;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Spread;

/**
 * Measures one case after a warm-up: a generator, whose file is then verified, or an input, whose file was prepared.
 */
record StreamsTrial(LineFile file, FileStrategy strategy, Granularity granularity, Profile profile)
{
    static final String ELAPSED = "elapsedNs";
    static final String FIRST_ALLOCATION = "firstAllocationNs";
    static final String LATER_ALLOCATION = "laterAllocationNs";

    private static final int LATER_ALLOCATIONS = 9;

    /** Unit of a call. */
    enum Granularity
    {
        BYTE, ARRAY
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final Case original = arguments.one(Case.class, "way");
        final StreamsTrial trial = new StreamsTrial(
            new LineFile(
                arguments.directory().resolve("test.txt"), arguments.number("length"),
                arguments.length("bufferLength")),
            original.fairStrategy, arguments.one(Granularity.class, "granularity"),
            arguments.one(Profile.class, "profile"));
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
            buffers[i] = allocator.apply(file.bufferLength());
            times[i] = System.nanoTime() - start;
        }
        Content.check("capacity", file.bufferLength(), buffers[LATER_ALLOCATIONS].capacity());
        Child.print(FIRST_ALLOCATION, (long)times[0]);
        Child.print(LATER_ALLOCATION, Spread.of(Arrays.copyOfRange(times, 1, times.length)).median());
    }

    private void measureWriting() throws IOException
    {
        final boolean isDurable = Profile.DURABLE == profile;
        final long length = file.length();
        for (int i = 0; i < ArticleExperiment.WARM_UPS; i++)
        {
            Files.deleteIfExists(file.path());
            write(Math.min(length, ArticleExperiment.WARM_UP_LENGTH), false);
        }
        Files.delete(file.path());
        System.gc();
        final MeasuredInterval usage = MeasuredInterval.start();
        final long start = System.nanoTime();
        final long forceNs = write(length, isDurable);
        final long elapsedNs = System.nanoTime() - start;
        usage.print("write");
        file.verify();
        Child.print(ELAPSED, elapsedNs);
        Child.print(Sequential.WRITE, length * ArticleExperiment.NS_PER_S / (elapsedNs - forceNs));
        if (isDurable)
        {
            Child.print(Sequential.DURABLE, length * ArticleExperiment.NS_PER_S / elapsedNs);
        }
    }

    /** Opens, writes and closes; returns the nanoseconds of the fsync. */
    private long write(final long count, final boolean isDurable) throws IOException
    {
        final byte[] line = file.line();
        final int half = half();
        long forceNs = 0;
        try (OutputStream output = strategy.output(file.path(), count, file.bufferLength()))
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
                FileStrategy.force(output, file.path());
                forceNs = System.nanoTime() - start;
            }
        }

        return forceNs;
    }

    private void measureReading() throws IOException, InterruptedException
    {
        final LineFile warmUp =
            new LineFile(file.path(), Math.min(file.length(), ArticleExperiment.WARM_UP_LENGTH), file.bufferLength());
        warmUp.write();
        for (int i = 0; i < ArticleExperiment.WARM_UPS; i++)
        {
            Content.check("checksum", warmUp.sum(), read());
        }

        file.write();
        // Fsynced so that no writeback competes with the reads.
        ColdRead.force(file.path());
        System.gc();
        final ColdRead cold = new ColdRead(profile, file.path());
        cold.begin();
        final MeasuredInterval interval = MeasuredInterval.start();
        final long sum = read();
        interval.rate(Sequential.READ, file.length());
        interval.print("read");
        cold.end(file.length());
        cold.print();
        Content.check("checksum", file.sum(), sum);
        Child.print(ELAPSED, interval.elapsedNs());
    }

    /** Length of arrays: shorter than the buffer, since buffered streams bypass it otherwise and save a copy. */
    private int half()
    {
        return (file.bufferLength() + 1) / 2;
    }

    /** Opens, reads and closes; returns the sum of all bytes. */
    private long read() throws IOException
    {
        long sum = 0;
        try (InputStream input = strategy.input(file.path(), file.bufferLength()))
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

    /** A file of lines as long as a buffer, of one repeated byte and a line separator. The last line is truncated. */
    record LineFile(Path path, long length, int bufferLength)
    {
        static final byte VALUE = 123;

        private static final int CHUNK_LENGTH = 64 * 1024;

        static byte[] newSeparator()
        {
            return System.lineSeparator().getBytes(StandardCharsets.US_ASCII);
        }

        byte[] line()
        {
            final byte[] separator = newSeparator();
            final byte[] line = new byte[bufferLength];
            Arrays.fill(line, VALUE);
            System.arraycopy(separator, 0, line, bufferLength - separator.length, separator.length);
            return line;
        }

        /** Sum of all bytes. */
        long sum()
        {
            final byte[] line = line();
            return length / bufferLength * sum(line, bufferLength) + sum(line, (int)(length % bufferLength));
        }

        private static long sum(final byte[] line, final int count)
        {
            return IntStream.range(0, count).mapToLong((i) -> line[i]).sum();
        }

        /** Writes a new file, independently of the measured code. */
        void write() throws IOException
        {
            final byte[] line = line();
            final byte[] lines = new byte[Math.max(1, CHUNK_LENGTH / bufferLength) * bufferLength];
            for (int offset = 0; offset < lines.length; offset += bufferLength)
            {
                System.arraycopy(line, 0, lines, offset, bufferLength);
            }
            // Not through a BufferedOutputStream, whose code is compiled for the original's programs alone.
            try (OutputStream out = Files.newOutputStream(path))
            {
                for (long offset = 0; offset < length; offset += lines.length)
                {
                    out.write(lines, 0, (int)Math.min(lines.length, length - offset));
                }
            }
        }

        /** @throws IllegalStateException if a byte or the length is wrong. */
        void verify() throws IOException
        {
            final byte[] line = line();
            Content.verify(path, length, (offset) -> line[(int)(offset % bufferLength)]);
        }
    }
}
