package io.journal.bench.article;

import java.util.Arrays;

/**
 * Statistics of repeated runs as the articles compute them.
 *
 * @param sigma of the population. In floating point: a sum of squares in long overflows when runs differ by seconds.
 */
public record Statistics(double min, double max, double mean, double sigma)
{
    public static Statistics of(final double... values)
    {
        final double mean = Arrays.stream(values).average().orElseThrow();
        final double variance = Arrays.stream(values).map((value) -> (value - mean) * (value - mean)).average()
            .orElseThrow();
        return new Statistics(
            Arrays.stream(values).min().orElseThrow(), Arrays.stream(values).max().orElseThrow(), mean,
            Math.sqrt(variance));
    }

    /** Does not indicate how much the runs vary; the figure of {@code streams-vs-channels}. */
    public double sigmaPercentOfRange()
    {
        return min == max ? 0 : 100 * sigma / (max - min);
    }

    public double sigmaPercentOfMean()
    {
        return 100 * sigma / mean;
    }
}
