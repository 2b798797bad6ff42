package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Stalls;
import io.journal.bench.run.Usage;

import org.HdrHistogram.Histogram;

/**
 * Writes, fsyncs and reads a file through one API, after a warm-up. Independent code verifies the file in between.
 */
final class SequentialTrial
{
    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;
    private static final double NS_PER_S = 1e9;

    private final Path file;
    private final FileStrategy strategy;
    private final int pageLength;
    private final Profile profile;
    private final Layout layout;
    private final Sync sync;
    private final boolean isStallMeasured;
    private final boolean isLatencyMeasured;

    private SequentialTrial(final Arguments args)
    {
        file = args.directory().resolve("test.dat");
        strategy = args.one(FileStrategy.class, "way");
        pageLength = args.length("pageLength");
        profile = args.one(Profile.class, "profile");
        layout = args.one(Layout.class, "layout");
        sync = args.one(Sync.class, "sync");
        isStallMeasured = args.is("stalls");
        isLatencyMeasured = args.is("latency");
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final long length = arguments.number("length");
        final SequentialTrial trial = new SequentialTrial(arguments);
        trial.warmUp(Math.min(length, WARM_UP_LENGTH));
        trial.run(length);
    }

    private void warmUp(final long length) throws IOException, InterruptedException
    {
        for (int i = 0; i < WARM_UPS; i++)
        {
            layout.lay(file, length, pageLength);
            strategy.write(file, length, pageLength, null);
            strategy.read(file, pageLength);
        }
        Files.delete(file);
    }

    private void run(final long length) throws IOException, InterruptedException
    {
        layout.lay(file, length, pageLength);
        System.gc();
        final int written = write(length);
        Content.verify(file, length, (offset) -> (byte)offset);

        System.gc();
        if (Profile.COLD == profile)
        {
            final ColdRead cold = new ColdRead(file);
            cold.begin();
            read(length, written, "read", Sequential.READ);
            cold.end(length);
            cold.print();
        }
        else
        {
            read(length, written, "read", Sequential.READ);
        }
        // Warm by now, even in the cold profile.
        read(length, written, "again", Sequential.READ_AGAIN);
    }

    private int write(final long length) throws IOException, InterruptedException
    {
        try (Stalls stalls = isStallMeasured ? Stalls.start() : null)
        {
            final Histogram latencies = isLatencyMeasured ? new Histogram(3) : null;
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            final int written = strategy.write(file, length, pageLength, latencies);
            final long writeNs = System.nanoTime() - start;
            sync.force(file);
            final long durableNs = System.nanoTime() - start;
            usage.printSince("write");
            System.out.println(Sequential.WRITE + '=' + length * NS_PER_S / writeNs);
            System.out.println(Sequential.DURABLE + '=' + length * NS_PER_S / durableNs);
            if (null != latencies)
            {
                Percentiles.print(latencies);
            }
            if (null != stalls)
            {
                stalls.print("write");
            }
            return written;
        }
    }

    private void read(final long length, final int written, final String prefix, final String key)
        throws IOException, InterruptedException
    {
        try (Stalls stalls = isStallMeasured ? Stalls.start() : null)
        {
            final Usage usage = Usage.now();
            final long start = System.nanoTime();
            final int read = strategy.read(file, pageLength);
            final long readNs = System.nanoTime() - start;
            usage.printSince(prefix);
            if (written != read)
            {
                throw new IllegalStateException("wrong checksum: expected=" + written + ", found=" + read);
            }
            System.out.println(key + '=' + length * NS_PER_S / readNs);
            if (null != stalls)
            {
                stalls.print(prefix);
            }
        }
    }
}
