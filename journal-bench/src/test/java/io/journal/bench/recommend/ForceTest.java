// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.util.Map;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.recommend.Measurements.Figure;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ForceTest
{
    private static final BackendConfig CHOSEN = new BackendConfig(Backend.MAPPED, 0);

    // Slowest rounds force 1,000, 10,000 and 100,000 records a second, by 1, 16 and 256 together.
    @ParameterizedTest
    @CsvSource({
        "1,everyRecord", "500,everyRecord", "501,every 31936 us", "1000,every 16 ms", "5000,every 3200 us",
        "5001,every 51190 us",
        "50000,every 5120 us", "50001,every 5120 us", "100000000,every 50 us" })
    void smallestGroupThatSustainsTwiceTheRateIsRecommended(final long rate, final String setting)
    {
        assertEquals(setting, advice(Requirement.Durability.POWER, rate).setting());
    }

    @Test
    void warnsIfTheDiskMayNotKeepUp()
    {
        assertTrue(advice(Requirement.Durability.POWER, 50_001).reasons().get(0).startsWith("Warning"));
        assertTrue(advice(Requirement.Durability.POWER, 50_000).reasons().stream()
            .noneMatch((each) -> each.startsWith("Warning")));
    }

    @Test
    void withoutARateEveryRecordIsRecommendedWithItsSustainableRate()
    {
        final Recommendation.Force advice = advice(Requirement.Durability.POWER, Requirement.UNKNOWN_RATE);

        assertEquals("everyRecord", advice.setting());
        assertTrue(advice.reasons().get(0).contains("good for up to 500 records/s"), advice.reasons().get(0));
    }

    @Test
    void processDurabilityNeedsNoFsync()
    {
        assertEquals("manual", advice(Requirement.Durability.PROCESS, 50_001).setting());
    }

    private static Recommendation.Force advice(final Requirement.Durability durability, final long rate)
    {
        final Measurements measurements = new Measurements();
        for (final double factor : new double[]{ 1, 3, 2 })
        {
            final Map<Figure, Double> figures = SimulatedTrials.figures(1);
            figures.put(Figure.FORCED_1, 1_000 * factor);
            figures.put(Figure.FORCED_16, 10_000 * factor);
            figures.put(Figure.FORCED_256, 100_000 * factor);
            measurements.add(Map.of(CHOSEN, figures));
        }

        return Recommendation.Force.of(new Requirement(durability, 256, rate), measurements, CHOSEN);
    }
}
