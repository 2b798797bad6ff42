package io.journal.bench.run;

import java.util.Map;

import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class ResultsTest
{
    private final Results results = new Results();

    @Test
    void onlyRoundsInWhichAllWereMeasuredCount()
    {
        add("a", 1, 2, 3);
        add("b", 1, 2);

        assertEquals(2, results.roundCount());
        assertEquals(2, results.of("a", "rate").length);
    }

    @Test
    void missingValueIsAnError()
    {
        add("a", 1);

        assertThrows(IllegalStateException.class, () -> results.of("a", "latency"));
        assertThrows(IllegalStateException.class, () -> results.of("b", "rate"));
    }

    private void add(final String label, final int... rates)
    {
        for (final int rate : rates)
        {
            results.add(label, Map.of("rate", Integer.toString(rate)));
        }
    }
}
