package io.journal.bench.article;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.MeasuredInterval;
import io.journal.bench.run.Percentiles;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Stalls;

import org.HdrHistogram.Histogram;

/**
 * Writes, fsyncs and reads a file through one API, after a warm-up. Independent code verifies the file in between.
 */
final class SequentialTrial
{
    private static final int WARM_UPS = 4;
    private static final int WARM_UP_LENGTH = 16 * 1024 * 1024;

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
        final ColdRead cold = ColdRead.of(profile, file);
        cold.begin();
        read(length, written, "read", Sequential.READ);
        cold.end(length);
        cold.print();
        // Warm by now, even in the cold profile.
        read(length, written, "again", Sequential.READ_AGAIN);
    }

    private int write(final long length) throws IOException, InterruptedException
    {
        try (Stalls stalls = isStallMeasured ? Stalls.start() : null)
        {
            final Histogram latencies = isLatencyMeasured ? new Histogram(3) : null;
            final MeasuredInterval interval = MeasuredInterval.start();
            final int written = strategy.write(file, length, pageLength, latencies);
            interval.rate(Sequential.WRITE, length);
            sync.force(file);
            interval.rate(Sequential.DURABLE, length);
            interval.print("write");
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
            final MeasuredInterval interval = MeasuredInterval.start();
            final int read = strategy.read(file, pageLength);
            interval.rate(key, length);
            interval.print(prefix);
            if (written != read)
            {
                throw new IllegalStateException("wrong checksum: expected=" + written + ", found=" + read);
            }
            if (null != stalls)
            {
                stalls.print(prefix);
            }
        }
    }
}
