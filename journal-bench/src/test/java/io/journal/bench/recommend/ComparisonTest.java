package io.journal.bench.recommend;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import io.journal.bench.recommend.Measurements.Comparison;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ComparisonTest
{
    // By the binomial distribution: 2 * P(heads <= outside) of fair coins is at most 0.025.
    @ParameterizedTest
    @CsvSource({ "1,0", "2,0", "7,0", "9,0", "10,1", "12,1", "13,2", "15,2", "16,3", "20,4", "25,6" })
    void intervalDropsAsManyRatiosAsTheSignTestAllows(final int count, final int outside)
    {
        final Comparison comparison = Comparison.of(IntStream.rangeClosed(1, count).asDoubleStream().toArray());

        assertEquals(1 + outside, comparison.low());
        assertEquals((count + 1) / 2.0, comparison.median());
        assertEquals(count - outside, comparison.high());
    }

    @ParameterizedTest
    @CsvSource({ "7", "10", "13", "25" })
    void intervalCoversTheTrueMedianAsOftenAsItsConfidence(final int count)
    {
        final Random random = new Random(count);
        int inside = 0;
        for (int i = 0; i < 20_000; i++)
        {
            // Skewed, with the median 1.
            final Comparison comparison = Comparison.of(
                DoubleStream.generate(() -> Math.exp(random.nextGaussian())).limit(count).toArray());
            inside += comparison.low() <= 1 && comparison.high() >= 1 ? 1 : 0;
        }

        assertTrue(inside >= 20_000 * 0.973, "inside=" + inside);
    }

    @Test
    void aheadMeansSignificantlyBetterByAQuarter()
    {
        assertTrue(Comparison.of(1.01, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isAhead());
        assertFalse(Comparison.of(0.99, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isAhead());
        assertFalse(Comparison.of(1.01, 1.24, 1.24, 1.24, 1.3, 1.3, 1.3).isAhead());
        assertFalse(Comparison.of(2, 2, 2, 2, 2, 2).isAhead());
        // One of ten may be the other way round.
        final double[] ten = new double[10];
        Arrays.fill(ten, 1.3);
        ten[4] = 0.2;
        assertTrue(Comparison.of(ten).isAhead());
    }

    @Test
    void farAheadMeansTheWholeIntervalIsAheadByAQuarter()
    {
        assertTrue(Comparison.of(1.25, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isFarAhead());
        assertFalse(Comparison.of(1.24, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isFarAhead());
        assertFalse(Comparison.of(2, 2, 2, 2, 2, 2).isFarAhead());
    }
}
