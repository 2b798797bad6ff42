package io.journal.bench.article.readers;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Random;

import io.journal.bench.run.Child;
import io.journal.bench.run.PageCache;
import io.journal.bench.run.Profile;
import io.journal.bench.run.Spread;

/**
 * Reads all lines of a text in one way, then lines here and there, in a process of its own, warmed up.
 */
final class LineTrial
{
    static final String LINES = "linesPerSecond";
    static final String ONE_LINE = "lineUs";

    private static final int WARM_UP_LENGTH = 8 * 1024 * 1024;
    private static final int WARM_UPS = 3;
    private static final int SAMPLES = 15;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_US = 1e3;

    private LineTrial()
    {
    }

    /**
     * Arguments: directory, way, length of the file, profile, seed.
     */
    public static void main(final String[] args) throws IOException, InterruptedException
    {
        Child.endWithParent();
        final Path file = Path.of(args[0]).resolve("lines.txt");
        final LineWay way = LineWay.valueOf(args[1]);
        final long length = Long.parseLong(args[2]);
        final boolean isCold = Profile.COLD == Profile.valueOf(args[3]);
        final Random random = new Random(Long.parseLong(args[4]));
        for (int i = 0; i < WARM_UPS; i++)
        {
            run(way, file, Math.min(length, WARM_UP_LENGTH), random, false);
        }

        final Found found = run(way, file, length, random, isCold);
        System.out.println(ReaderTrial.READ + '=' + found.bytesPerSecond());
        System.out.println(LINES + '=' + found.linesPerSecond());
        System.out.println(ONE_LINE + '=' + found.lineUs());
    }

    private static Found run(
        final LineWay way, final Path file, final long length, final Random random, final boolean isCold)
        throws IOException, InterruptedException
    {
        final int count = TextLines.write(file, length);
        if (isCold)
        {
            System.out.println("cold=" + PageCache.drop(file));
        }
        final LineIndex index = new LineIndex();
        final long fileLength = file.toFile().length();
        final long start = System.nanoTime();
        final long characters = way.readAll(file, index);
        final double seconds = (System.nanoTime() - start) / NS_PER_S;
        if (fileLength - count != characters)
        {
            throw new IllegalStateException(
                "wrong number of characters: expected=" + (fileLength - count) + ", found=" + characters);
        }

        final double[] times = new double[SAMPLES];
        for (int i = 0; i < SAMPLES; i++)
        {
            final int number = random.nextInt(count);
            final long lineStart = System.nanoTime();
            final String line = way.line(file, index, number);
            times[i] = (System.nanoTime() - lineStart) / NS_PER_US;
            if (!TextLines.line(number).equals(line))
            {
                throw new IllegalStateException("wrong line: number=" + number + ", found=" + line);
            }
        }

        return new Found(fileLength / seconds, count / seconds, Spread.of(times).median());
    }

    /** What was found out. */
    private record Found(double bytesPerSecond, double linesPerSecond, double lineUs)
    {
    }
}
