package io.journal.bench.article.sweep;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

import io.journal.bench.article.Content;
import io.journal.bench.run.Child;
import io.journal.bench.run.PageCache;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Usage;

/**
 * Moves a file with a buffer of one length, in a process of its own, again and again for a while after it did so to
 * warm up.
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

    private SweepTrial(
        final Path file,
        final Direction direction,
        final int bufferLength,
        final long length,
        final Profile profile)
    {
        this.file = file;
        this.direction = direction;
        this.bufferLength = bufferLength;
        this.length = length;
        this.profile = profile;
        this.expectedSum = Content.unsignedSum(length);
    }

    /**
     * Arguments: directory, direction, length of the buffer, length of the file, profile, milliseconds to warm up and
     * again to measure.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        Child.endWithParent();
        final SweepTrial trial = new SweepTrial(
            Path.of(args[0]).resolve("test.dat"), Direction.valueOf(args[1]), Integer.parseInt(args[2]),
            Long.parseLong(args[3]), Profile.valueOf(args[4]));
        final long periodNs = TimeUnit.MILLISECONDS.toNanos(Long.parseLong(args[5]));
        trial.run(periodNs);
    }

    private void run(final long periodNs) throws IOException, InterruptedException
    {
        direction.prepare(file, length);
        repeat(periodNs, false);

        System.gc();
        moveNs = 0;
        durableNs = 0;
        final Usage usage = Usage.now();
        final int passes = repeat(periodNs, Profile.COLD == profile);
        usage.printSince(direction.label());

        System.out.println(direction.rateKey() + '=' + passes * length * NS_PER_S / moveNs);
        if (Profile.DURABLE == profile)
        {
            System.out.println(DURABLE + '=' + passes * length * NS_PER_S / durableNs);
        }
        System.out.println(PASSES + '=' + passes);
    }

    /**
     * Passes until time is up, at least one.
     *
     * @return how many.
     */
    private int repeat(final long periodNs, final boolean isCold) throws IOException, InterruptedException
    {
        final long end = System.nanoTime() + periodNs;
        int passes = 0;
        do
        {
            if (isCold)
            {
                final String how = PageCache.drop(file);
                if (0 == passes)
                {
                    System.out.println("cold=" + how);
                }
            }
            pass();
            passes++;
        }
        while (System.nanoTime() < end);

        return passes;
    }

    private void pass() throws IOException
    {
        final long start = System.nanoTime();
        final long sum = direction.move(file, length, bufferLength);
        moveNs += System.nanoTime() - start;
        if (Profile.DURABLE == profile)
        {
            PageCache.force(file);
            durableNs += System.nanoTime() - start;
        }
        direction.check(file, length, expectedSum, sum);
    }
}
