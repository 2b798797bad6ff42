package io.journal.bench.run;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class SpreadTest
{
    private static final double DELTA = 1e-9;

    @Test
    void medianOfAnOddNumberIsTheMiddleOne()
    {
        assertEquals(new Spread(1, 5, 100), Spread.of(100, 1, 5));
    }

    @Test
    void medianOfAnEvenNumberLiesBetweenTheMiddleOnes()
    {
        assertEquals(new Spread(1, 4, 100), Spread.of(5, 100, 1, 3));
    }

    @Test
    void oneValueIsItsOwnSpread()
    {
        assertEquals(new Spread(7, 7, 7), Spread.of(7));
    }

    @Test
    void noMeasurementsHaveNoSpread()
    {
        assertThrows(IllegalArgumentException.class, Spread::of);
    }

    @Test
    void valuesKeepTheirOrder()
    {
        final double[] values = { 3, 1, 2 };

        Spread.of(values);

        assertArrayEquals(new double[]{ 3, 1, 2 }, values);
    }

    @Test
    void geometricMeanOfAFactorAndItsInverseIsOne()
    {
        assertEquals(1, Spread.geometricMean(4, 0.25), DELTA);
        assertEquals(6, Spread.geometricMean(4, 9), DELTA);
    }
}
