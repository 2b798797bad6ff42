package io.journal.bench.article.sweep;

import java.util.Arrays;

/**
 * The article's statistics of rates. As in its published source: population sigma, MB of 1,000,000 B.
 */
record Throughput(double min, double max, double mean, double sigma)
{
    static Throughput of(final double... rates)
    {
        final double mean = Arrays.stream(rates).average().orElseThrow();
        double squares = 0;
        for (final double rate : rates)
        {
            squares += (rate - mean) * (rate - mean);
        }

        return new Throughput(
            Arrays.stream(rates).min().orElseThrow(), Arrays.stream(rates).max().orElseThrow(), mean,
            Math.sqrt(squares / rates.length));
    }
}
