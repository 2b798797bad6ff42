package io.journal.bench.run;

import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class IntervalTest
{
    @Test
    void intervalOfFewRoundsSpansTheExtremes()
    {
        assertEquals(new Interval(1, 1, 1, 0), Interval.of(1));
        assertEquals(new Interval(1, 1.5, 2, 0.5), Interval.of(2, 1));
        assertEquals(new Interval(1, 3, 5, 0.9375), Interval.of(3, 1, 5, 2, 4));
    }

    @Test
    void intervalOfManyRoundsDropsSomeAtBothEnds()
    {
        // Of nine, one at each end: 1 - 2 * (1 + 9) / 512.
        assertEquals(new Interval(2, 5, 8, 1 - 20.0 / 512), Interval.of(9, 8, 7, 6, 5, 4, 3, 2, 1));

        final Interval fifty = Interval.of(IntStream.rangeClosed(1, 50).asDoubleStream().toArray());

        assertEquals(25.5, fifty.median());
        assertTrue(fifty.low() >= 18 && fifty.low() + fifty.high() == 51, fifty.toString());
        assertTrue(fifty.confidence() >= Interval.WANTED, fifty.toString());
    }

    @Test
    void unpairedRatiosHaveTheWidestInterval()
    {
        assertEquals(new Interval(0.5, 1, 2, 0.5), Interval.of(1, 2, 4).over(Interval.of(2, 2, 2)));
        assertEquals(new Interval(1, 1, 1, 0), Interval.of(1).over(Interval.of(1)));
    }

    @ParameterizedTest
    @CsvSource({ "3, 0.5", "9, 0.8", "49, 0.96" })
    void valueOfTheSameDistributionIsWithinTheIntervalAsOftenAsItsConfidence(final int others, final double confidence)
    {
        final int count = 20_000;
        final Random random = new Random(others);
        int inside = 0;
        for (int i = 0; i < count; i++)
        {
            final double[] values = random.doubles(others, 90, 110).toArray();
            final Interval interval = Interval.ofOne(90 + 20 * random.nextDouble(), values);
            assertEquals(confidence, interval.confidence(), 1e-9);
            inside += interval.contains(1) ? 1 : 0;
        }

        assertEquals(confidence, (double)inside / count, 0.015);
    }
}
