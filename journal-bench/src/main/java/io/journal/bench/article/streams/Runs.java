package io.journal.bench.article.streams;

import java.util.Arrays;
import java.util.Locale;

import io.journal.bench.run.Spread;

/**
 * Times of one case with the original's statistics: population sigma, also as a percentage of the range, and rates in
 * MB of 1,048,576 B.
 */
final class Runs
{
    private static final double MB = 1024 * 1024;
    private static final double NS_PER_S = 1e9;
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_US = 1e3;

    private final long length;
    private final long[] times;

    /**
     * @param length of the file.
     * @param times  in nanoseconds, at least one.
     */
    Runs(final long length, final long... times)
    {
        this.length = length;
        this.times = times.clone();
    }

    double averageNs()
    {
        return Arrays.stream(times).average().orElseThrow();
    }

    long minNs()
    {
        return Arrays.stream(times).min().orElseThrow();
    }

    long maxNs()
    {
        return Arrays.stream(times).max().orElseThrow();
    }

    /**
     * Population sigma. In floating point: the original's sum of squares overflows a long when runs differ by seconds.
     */
    double sigmaNs()
    {
        final double average = averageNs();
        return Math.sqrt(Arrays.stream(times).mapToDouble((time) -> (time - average) * (time - average)).average()
            .orElseThrow());
    }

    /**
     * The original's figure; it does not indicate how much the runs vary.
     */
    double sigmaPercentOfRange()
    {
        final long range = maxNs() - minNs();
        return 0 == range ? 0 : 100 * sigmaNs() / range;
    }

    double sigmaPercentOfMean()
    {
        return 100 * sigmaNs() / averageNs();
    }

    long firstNs()
    {
        return times[0];
    }

    /**
     * Median of all but the first; the first if there are no others.
     */
    double laterMedianNs()
    {
        return Spread.of(Arrays.stream(times).skip(1 == times.length ? 0 : 1).asDoubleStream().toArray()).median();
    }

    /**
     * How much longer the first took than the median of the others, in percent.
     */
    double firstRunPercent()
    {
        return 100 * (firstNs() / laterMedianNs() - 1);
    }

    String originalText(final String name)
    {
        final StringBuilder text = new StringBuilder(name).append(":\n");
        text.append("avg:").append(format(averageNs())).append('\n');
        text.append("min:").append(format(minNs())).append('\n');
        text.append("max:").append(format(maxNs())).append('\n');
        text.append("sygma:").append(format(sigmaNs()));
        text.append(String.format(Locale.ROOT, "(%f%%)", sigmaPercentOfRange())).append('\n');
        text.append("runs (millis):");
        for (final long time : times)
        {
            text.append((long)(time / NS_PER_MS)).append(", ");
        }

        return text.append("\n\n--------------------------\n").toString();
    }

    private String format(final double ns)
    {
        final String rate = String.format(Locale.ROOT, "%.3f (MB/s)", length / MB * NS_PER_S / ns);
        return ns < NS_PER_MS ? String.format(Locale.ROOT, "%f micros %s", ns / NS_PER_US, rate) :
            String.format(Locale.ROOT, "%f millis %s", ns / NS_PER_MS, rate);
    }
}
