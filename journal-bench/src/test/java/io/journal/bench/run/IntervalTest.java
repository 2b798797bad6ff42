// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.run;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.DoubleStream;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class IntervalTest
{
    @Test
    void rangeIsTheMedianWithTheExtremes()
    {
        final double[] values = { 5, 1, 100, 3 };
        assertEquals("4.0 [1.0..100.0]", Interval.range(values).text("%.1f"));
        assertArrayEquals(new double[]{ 5, 1, 100, 3 }, values);
        assertEquals("1.00 [0.00..2.00]", Interval.range(0, 1, 2).toString());
        // With so many values, the confidence of the extremes is 1.
        final Interval many = Interval.range(IntStream.rangeClosed(1, 10_000).asDoubleStream().toArray());
        assertEquals(1, many.low());
        assertEquals(10_000, many.high());
        assertThrows(IllegalArgumentException.class, Interval::range);
    }

    @Test
    void intervalOfFewRoundsSpansTheExtremes()
    {
        assertEquals(new Interval(1, 1, 1, 0, 1), Interval.of(1));
        assertEquals(new Interval(1, 1.5, 2, 0.5, 2), Interval.of(2, 1));
        assertEquals(new Interval(1, 3, 5, 0.9375, 5), Interval.of(3, 1, 5, 2, 4));
    }

    @Test
    void intervalOfManyRoundsDropsSomeAtBothEnds()
    {
        // Of nine, one at each end: 1 - 2 * (1 + 9) / 512.
        assertEquals(new Interval(2, 5, 8, 1 - 20.0 / 512, 9), Interval.of(9, 8, 7, 6, 5, 4, 3, 2, 1));

        final Interval fifty = Interval.of(IntStream.rangeClosed(1, 50).asDoubleStream().toArray());

        assertEquals(25.5, fifty.median());
        assertTrue(fifty.low() >= 18 && fifty.low() + fifty.high() == 51, fifty.toString());
        assertTrue(fifty.confidence() >= Interval.WANTED, fifty.toString());
    }

    // By the binomial distribution: 2 * P(heads <= outside) of fair coins is at most 0.025.
    @ParameterizedTest
    @CsvSource({ "1,0", "2,0", "7,0", "9,0", "10,1", "12,1", "13,2", "15,2", "16,3", "20,4", "25,6" })
    void intervalDropsAsManyRatiosAsTheSignTestAllows(final int count, final int outside)
    {
        final Interval interval = Interval.strict(IntStream.rangeClosed(1, count).asDoubleStream().toArray());

        assertEquals(1 + outside, interval.low());
        assertEquals((count + 1) / 2.0, interval.median());
        assertEquals(count - outside, interval.high());
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
            final Interval interval = Interval.strict(
                DoubleStream.generate(() -> Math.exp(random.nextGaussian())).limit(count).toArray());
            inside += interval.low() <= 1 && interval.high() >= 1 ? 1 : 0;
        }

        assertTrue(inside >= 20_000 * 0.973, "inside=" + inside);
    }

    @Test
    void aheadMeansSignificantlyBetterByAQuarter()
    {
        assertTrue(Interval.strict(1.01, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isAhead());
        assertFalse(Interval.strict(0.99, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isAhead());
        assertFalse(Interval.strict(1.01, 1.24, 1.24, 1.24, 1.3, 1.3, 1.3).isAhead());
        assertFalse(Interval.strict(2, 2, 2, 2, 2, 2).isAhead());
        // One of ten may be the other way round.
        final double[] ten = new double[10];
        Arrays.fill(ten, 1.3);
        ten[4] = 0.2;
        assertTrue(Interval.strict(ten).isAhead());
    }

    @Test
    void farAheadMeansTheWholeIntervalIsAheadByAQuarter()
    {
        assertTrue(Interval.strict(1.25, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isFarAhead());
        assertFalse(Interval.strict(1.24, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3).isFarAhead());
        assertFalse(Interval.strict(2, 2, 2, 2, 2, 2).isFarAhead());
    }
}
