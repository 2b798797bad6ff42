package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.TimeUnit;

import io.journal.bench.run.Arguments;
import io.journal.bench.run.ColdRead;
import io.journal.bench.run.PageCache;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Spread;
import io.journal.bench.run.Usage;

/**
 * Reads all lines of a text with one strategy, then random lines, after a warm-up.
 */
final class LineTrial
{
    static final String LINES = "linesPerSecond";
    static final String ONE_LINE = "lineUs";

    private static final int WARM_UP_LENGTH = 8 * 1024 * 1024;
    private static final int WARM_UPS = 3;
    private static final int MIN_SAMPLES = 15;
    private static final int MAX_SAMPLES = 10_000;
    private static final long SAMPLES_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;

    private LineTrial()
    {
    }

    public static void main(final String[] args) throws IOException, InterruptedException
    {
        final Arguments arguments = Arguments.of(args);
        final Path file = arguments.directory().resolve("lines.txt");
        final LineStrategy strategy = arguments.one(LineStrategy.class, "way");
        final long length = arguments.number("length");
        final ColdRead cold = ColdRead.of(arguments.one(Profile.class, "profile"), file);
        final Random random = new Random(arguments.number("seed"));
        for (int i = 0; i < WARM_UPS; i++)
        {
            run(strategy, file, Math.min(length, WARM_UP_LENGTH), random, ColdRead.of(Profile.FAIR, file), false);
        }

        final Found found = run(strategy, file, length, random, cold, true);
        System.out.println(ReaderTrial.READ + '=' + found.bytesPerSecond());
        System.out.println(LINES + '=' + found.linesPerSecond());
        System.out.println(ONE_LINE + '=' + found.lineUs());
    }

    private static Found run(
        final LineStrategy strategy,
        final Path file,
        final long length,
        final Random random,
        final ColdRead cold,
        final boolean isPrinted) throws IOException, InterruptedException
    {
        final int count = TextLines.write(file, length);
        PageCache.force(file);
        final LineIndex index = new LineIndex();
        final long fileLength = Files.size(file);
        cold.begin();
        final Usage usage = Usage.now();
        final long start = System.nanoTime();
        final long characters = strategy.readAll(file, index);
        final double seconds = (System.nanoTime() - start) / NS_PER_S;
        if (isPrinted)
        {
            usage.printSince("read");
        }
        cold.end(fileLength);
        cold.print();
        if (fileLength - count != characters)
        {
            throw new IllegalStateException(
                "wrong number of characters: expected=" + (fileLength - count) + ", found=" + characters);
        }

        // The first call is a warm-up.
        lineTimes(strategy, file, index, count, random);
        return new Found(
            fileLength / seconds, count / seconds, Spread.of(lineTimes(strategy, file, index, count, random)).median());
    }

    /**
     * Microseconds per line, of many random lines.
     */
    private static double[] lineTimes(
        final LineStrategy strategy, final Path file, final LineIndex index, final int count, final Random random)
        throws IOException
    {
        final double[] times = new double[MAX_SAMPLES];
        final long end = System.nanoTime() + SAMPLES_NS;
        int samples = 0;
        while (samples < MAX_SAMPLES && (samples < MIN_SAMPLES || System.nanoTime() < end))
        {
            final int number = random.nextInt(count);
            final long start = System.nanoTime();
            final String line = strategy.line(file, index, number);
            times[samples++] = (System.nanoTime() - start) / NS_PER_US;
            if (!TextLines.line(number).equals(line))
            {
                throw new IllegalStateException("wrong line: number=" + number + ", found=" + line);
            }
        }

        return Arrays.copyOf(times, samples);
    }

    /** Results of a run. */
    private record Found(double bytesPerSecond, double linesPerSecond, double lineUs)
    {
    }
}
