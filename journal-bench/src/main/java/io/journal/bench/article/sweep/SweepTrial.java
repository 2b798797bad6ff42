package io.journal.bench.article.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

import io.journal.bench.article.Content;
import io.journal.bench.run.Arguments;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.Profile;
import io.journal.bench.run.MeasuredInterval;

/**
 * Moves a file repeatedly with one buffer length for a time, after a warm-up of the same kind.
 */
final class SweepTrial
{
    static final String DURABLE = "durableBytesPerSecond";
    static final String PASSES = "passesCount";

    private static final double NS_PER_S = 1e9;

    private final Path file;
    private final Direction direction;
    private final int bufferLength;
    private final long length;
    private final Profile profile;
    private final long expectedSum;
    private long moveNs;
    private long durableNs;
    private MeasuredInterval.Sum usage = new MeasuredInterval.Sum();
    // The warm-up does not evict the file.
    private ColdRead cold;

    private SweepTrial(final Arguments args)
    {
        file = args.directory().resolve("test.dat");
        cold = ColdRead.of(Profile.FAIR, file);
        direction = Direction.valueOf(args.text("direction").toUpperCase(Locale.ROOT));
        bufferLength = args.length("bufferLength");
        length = args.number("length");
        profile = args.one(Profile.class, "profile");
        expectedSum = Content.unsignedSum(length);
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        new SweepTrial(arguments).run(TimeUnit.MILLISECONDS.toNanos(arguments.number("ms")));
    }

    private void run(final long periodNs) throws IOException, InterruptedException
    {
        direction.prepare(file, length);
        repeat(periodNs);

        System.gc();
        moveNs = 0;
        durableNs = 0;
        usage = new MeasuredInterval.Sum();
        cold = ColdRead.of(profile, file);
        final int passes = repeat(periodNs);
        usage.print(direction.label());
        cold.print();

        System.out.println(direction.rateKey() + '=' + passes * length * NS_PER_S / moveNs);
        if (Profile.DURABLE == profile)
        {
            System.out.println(DURABLE + '=' + passes * length * NS_PER_S / durableNs);
        }
        System.out.println(PASSES + '=' + passes);
    }

    /**
     * Repeats passes until the time is up, at least one.
     *
     * @return number of them.
     */
    private int repeat(final long periodNs) throws IOException, InterruptedException
    {
        final long end = System.nanoTime() + periodNs;
        int passes = 0;
        do
        {
            pass();
            passes++;
        }
        while (System.nanoTime() < end);

        return passes;
    }

    private void pass() throws IOException, InterruptedException
    {
        cold.begin();
        usage.begin();
        final long start = System.nanoTime();
        final long sum = direction.move(file, length, bufferLength);
        final long elapsedNs = System.nanoTime() - start;
        // Excludes fsync and verification.
        usage.end();
        moveNs += elapsedNs;
        cold.end(length);
        if (Profile.DURABLE == profile)
        {
            final long forceStart = System.nanoTime();
            ColdRead.force(file);
            durableNs += elapsedNs + System.nanoTime() - forceStart;
        }
        direction.check(file, length, expectedSum, sum);
    }
}
