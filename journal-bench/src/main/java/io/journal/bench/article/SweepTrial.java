package io.journal.bench.article;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.Child;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Profile;
import io.journal.bench.run.MeasuredInterval;

/**
 * Moves a file repeatedly with one buffer length for a time, after a warm-up of the same kind.
 */
final class SweepTrial
{
    static final String PASSES = "passesCount";

    private final Path file;
    private final Direction direction;
    private final int bufferLength;
    private final long length;
    private final long periodNs;
    private final boolean isDurable;
    private final long expectedSum;
    private final ColdRead cold;
    private final Map<String, Long> usage = new LinkedHashMap<>();
    private long moveNs;
    private long durableNs;
    private int passes;

    private SweepTrial(final Arguments args, final Profile profile)
    {
        file = args.directory().resolve("test.dat");
        direction = Direction.valueOf(args.text("direction").toUpperCase(Locale.ROOT));
        bufferLength = args.length("bufferLength");
        length = args.number("length");
        periodNs = TimeUnit.MILLISECONDS.toNanos(args.number("ms"));
        isDurable = Profile.DURABLE == profile;
        expectedSum = Content.unsignedSum(length);
        cold = new ColdRead(profile, file);
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final Profile profile = arguments.one(Profile.class, "profile");
        // The warm-up does not evict the file.
        final SweepTrial warmUp = new SweepTrial(arguments, Profile.COLD == profile ? Profile.FAIR : profile);
        warmUp.direction.prepare(warmUp.file, warmUp.length);
        warmUp.repeat();

        System.gc();
        final SweepTrial trial = new SweepTrial(arguments, profile);
        trial.repeat();
        trial.print();
    }

    /** Repeats passes until the time is up, at least one. */
    private void repeat() throws IOException, InterruptedException
    {
        final long end = System.nanoTime() + periodNs;
        do
        {
            pass();
            passes++;
        }
        while (System.nanoTime() < end);
    }

    private void pass() throws IOException, InterruptedException
    {
        cold.begin();
        final MeasuredInterval interval = MeasuredInterval.start();
        final long sum = direction.move(file, length, bufferLength);
        interval.rate(direction.rateKey(), length);
        // Excludes fsync and verification.
        interval.addTo(usage);
        moveNs += interval.elapsedNs();
        cold.end(length);
        if (isDurable)
        {
            final long forceStart = System.nanoTime();
            ColdRead.force(file);
            durableNs += interval.elapsedNs() + System.nanoTime() - forceStart;
        }
        direction.check(file, length, expectedSum, sum);
    }

    private void print()
    {
        usage.forEach((key, value) -> Child.print(direction.label() + key, value));
        cold.print();
        Child.print(direction.rateKey(), passes * length * ArticleExperiment.NS_PER_S / moveNs);
        if (isDurable)
        {
            Child.print(Sequential.DURABLE, passes * length * ArticleExperiment.NS_PER_S / durableNs);
        }
        Child.print(PASSES, passes);
    }

    /** Moves a file byte by byte through a stream, buffered unless the buffer length is 0. */
    enum Direction
    {
        READ, WRITE;

        /** Creates the file to read; each pass of writes creates its own. */
        void prepare(final Path file, final long length) throws IOException
        {
            if (READ == this)
            {
                Content.write(file, length);
            }
        }

        /** Opens the file, moves all of it and closes it; returns the sum of its bytes, unsigned. */
        long move(final Path file, final long length, final int bufferLength) throws IOException
        {
            return READ == this ? read(file, bufferLength) : write(file, length, bufferLength);
        }

        private static long read(final Path file, final int bufferLength) throws IOException
        {
            long sum = 0;
            try (InputStream in = input(file, bufferLength))
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
            try (OutputStream out = output(file, bufferLength))
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

        private static InputStream input(final Path file, final int bufferLength) throws IOException
        {
            final InputStream bare = new FileInputStream(file.toFile());
            return 0 == bufferLength ? bare : new BufferedInputStream(bare, bufferLength);
        }

        private static OutputStream output(final Path file, final int bufferLength) throws IOException
        {
            final OutputStream bare = new FileOutputStream(file.toFile());
            return 0 == bufferLength ? bare : new BufferedOutputStream(bare, bufferLength);
        }

        void check(final Path file, final long length, final long expectedSum, final long sum) throws IOException
        {
            Content.check("checksum", expectedSum, sum);
            Content.verify(file, length);
        }

        String streamName(final int bufferLength)
        {
            return (0 == bufferLength ? "File" : "Buffered") + (READ == this ? "InputStream" : "OutputStream");
        }

        String rateKey()
        {
            return READ == this ? Sequential.READ : Sequential.WRITE;
        }

        String label()
        {
            return ArticleExperiment.label(this);
        }
    }
}
