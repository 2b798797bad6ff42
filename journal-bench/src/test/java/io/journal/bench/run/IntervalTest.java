package io.journal.bench.run;

import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

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
}
