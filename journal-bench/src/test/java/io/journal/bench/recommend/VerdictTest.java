// SPDX-License-Identifier: Apache-2.0
package io.journal.bench.recommend;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.journal.bench.subject.BackendConfig;
import io.journal.bench.run.Interval;
import io.journal.bench.recommend.Measurements.Figure;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class VerdictTest
{
    private static final BackendConfig MAPPED = new BackendConfig(Backend.MAPPED, 0);
    private static final BackendConfig CHANNEL = new BackendConfig(Backend.FILE_CHANNEL, 0);
    private static final BackendConfig PLAIN = new BackendConfig(Backend.RANDOM_ACCESS_FILE, 0);
    private static final BackendConfig BATCHING = new BackendConfig(Backend.FILE_CHANNEL, 64 * 1024);
    private static final List<BackendConfig> CASES = List.of(MAPPED, CHANNEL, PLAIN, BATCHING);
    private static final List<Figure> UNFORCED = List.of(Figure.APPEND, Figure.BURST);

    private final Map<BackendConfig, Map<Figure, double[]>> factors = new HashMap<>();
    private int rounds = Interval.MIN_COUNT;

    @Test
    void defaultThatMeetsTheRequirementStaysHoweverMuchFasterAnotherIs()
    {
        // Seen on a disk: every backend sustained four times the rate, and one was ahead by 1.26.
        set(BATCHING, Figure.FORCED, 1.26);
        set(BATCHING, List.of(Figure.BURST, Figure.REPLAY), 0.56);

        final Verdict verdict = evaluate(Requirement.Durability.POWER, 192);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(), verdict.ties());
        assertEquals(
            List.of("All 4 finalists sustain at least 4.0 times the 192 records/s requested, and 2 times is enough: " +
                "the default, MAPPED, stays."),
            verdict.reasons());
        assertEquals(
            List.of(
                "Append and fsync each record: records/s, 192 requested",
                "                           rounds       median     at least     times the rate",
                "MAPPED                          7          870          769                4.0",
                "FILE_CHANNEL                    7          870          769                4.0",
                "RANDOM_ACCESS_FILE              7          870          769                4.0",
                "FILE_CHANNEL 64 KiB             7        1,096          969                5.0", ""),
            verdict.table());
    }

    @Test
    void defaultThatMeetsTheRequirementStaysIfOthersDoNot()
    {
        set(PLAIN, Figure.FORCED, 0.3);

        final Verdict verdict = evaluate(Requirement.Durability.POWER, 192);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(
            List.of("MAPPED, the default, sustains at least 4.0 times the 192 records/s requested, and 2 times is " +
                "enough: the default stays, whatever the others sustain."),
            verdict.reasons());
    }

    @Test
    void groupsOfRecordsMeetTheRequirementIfSingleOnesDoNot()
    {
        set(MAPPED, List.of(Figure.FORCED_1), 0.1);

        final Verdict verdict = evaluate(Requirement.Durability.POWER, 192);

        assertEquals(MAPPED, verdict.recommended());
        assertTrue(verdict.table().get(0).startsWith("Append 16 records, then fsync: "), verdict.table().toString());
    }

    @Test
    void lowerBoundOfTheRateMustMeetTheRequirementNotItsMedian()
    {
        // 870 in the median, 769 at least.
        assertTrue(evaluate(Requirement.Durability.POWER, 384).reasons().get(0)
            .startsWith("All 4 finalists sustain at least 2.0"));
        final Verdict noisy = evaluate(Requirement.Durability.POWER, 385);
        assertEquals(
            "Too noisy to decide whether MAPPED, the default, sustains 2 times the 385 records/s requested: " +
                "2.26 [2.00..2.60].",
            noisy.reasons().get(0));
        assertEquals(MAPPED, noisy.recommended());
        assertEquals(List.of(CHANNEL, PLAIN, BATCHING), noisy.ties());
    }

    @Test
    void firstThatMeetsTheRequirementReplacesTheDefault()
    {
        set(PLAIN, Figure.FORCED, 5);
        set(BATCHING, Figure.FORCED, 9);

        final Verdict verdict = evaluate(Requirement.Durability.POWER, 1000);

        assertEquals(PLAIN, verdict.recommended());
        assertEquals(List.of(BATCHING), verdict.ties());
        assertEquals(
            List.of(
                "MAPPED, the default, does not sustain 2 times the 1,000 records/s requested, but 0.87 [0.77..1.00].",
                "RANDOM_ACCESS_FILE, FILE_CHANNEL 64 KiB do, and are significantly faster. The first in order of " +
                    "preference is chosen.",
                "RANDOM_ACCESS_FILE is ahead of MAPPED by 5.00 [5.00..5.00]."),
            verdict.reasons());
    }

    @Test
    void drawbacksOfTheChosenBackendAreInTableAndReasons()
    {
        set(PLAIN, Figure.FORCED, 5);
        set(PLAIN, List.of(Figure.REPLAY), 0.56);

        final Verdict verdict = evaluate(Requirement.Durability.POWER, 1000);

        assertEquals(PLAIN, verdict.recommended());
        assertTrue(
            verdict.reasons().contains(
                "Drawback: RANDOM_ACCESS_FILE replays at 0.56 [0.56..0.56] of what MAPPED does."),
            verdict.reasons().toString());
        assertTrue(
            verdict.table().contains(
                "RANDOM_ACCESS_FILE        5.00 [5.00..5.00] 1.00 [1.00..1.00] 0.56 [0.56..0.56]"),
            verdict.table().toString());
    }

    @Test
    void clearLeaderIsChosenIfNoneMeetsTheRequirement()
    {
        set(CHANNEL, Figure.FORCED, 1.3, 1.5, 1.2, 1.4, 1.3, 1.2, 1.4);

        final Verdict verdict = evaluate(Requirement.Durability.POWER, 100_000);

        assertEquals(CHANNEL, verdict.recommended());
        assertEquals(List.of(), verdict.ties());
        assertEquals("No other one is certain to meet the requirement either.", verdict.reasons().get(1));
        assertEquals("FILE_CHANNEL is ahead of MAPPED by 1.30 [1.20..1.50].", verdict.reasons().get(2));
    }

    @Test
    void noneMeetsTheRequirementAndNoneIsClearlyAheadIsATie()
    {
        set(CHANNEL, Figure.FORCED, 1.24);

        final Verdict verdict = evaluate(Requirement.Durability.POWER, 100_000);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(CHANNEL, PLAIN, BATCHING), verdict.ties());
        assertTrue(verdict.reasons().get(0).contains("does not sustain"), verdict.reasons().toString());
        assertEquals("No other one is clearly ahead: the default stays.", verdict.reasons().get(2));
    }

    @Test
    void noisyDefaultIsReplacedOnlyByOneThatIsFarAhead()
    {
        set(CHANNEL, Figure.FORCED, 1.2, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3);
        assertEquals(MAPPED, evaluate(Requirement.Durability.POWER, 400).recommended());

        set(CHANNEL, Figure.FORCED, 1.26, 1.3, 1.3, 1.3, 1.3, 1.3, 1.3);
        assertEquals(CHANNEL, evaluate(Requirement.Durability.POWER, 400).recommended());
    }

    @Test
    void appendsInRecordsDecideWhereOnlyTheProcessMayEnd()
    {
        // 769 B/s at least: records of 256 B.
        assertTrue(evaluate(Requirement.Durability.PROCESS, 1).reasons().get(0)
            .startsWith("All 4 finalists sustain at least 3.0"));
        set(CHANNEL, List.of(Figure.APPEND), 10);
        assertEquals(CHANNEL, evaluate(Requirement.Durability.PROCESS, 5).recommended());
    }

    @Test
    void withoutARateTheDefaultIsRecommendedAmongEqualsAndTheOthersAreTies()
    {
        final Verdict verdict = evaluate(Requirement.Durability.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(CHANNEL, PLAIN, BATCHING), verdict.ties());
        assertEquals(
            List.of(
                "No rate was specified: the default, MAPPED, is replaced only by one that is clearly ahead in " +
                    "appends with an fsync for each, and not behind by a quarter in bursts, replay or latency.",
                "No other one is clearly ahead: the default stays."),
            verdict.reasons());
    }

    @Test
    void withoutARateTheLeaderOfEveryRoundIsRecommended()
    {
        set(CHANNEL, Figure.FORCED, 1.3, 1.5, 1.2, 1.4, 1.3, 1.2, 1.4);

        final Verdict verdict = evaluate(Requirement.Durability.POWER);

        assertEquals(CHANNEL, verdict.recommended());
        assertEquals(List.of(), verdict.ties());
        assertEquals("FILE_CHANNEL is ahead of MAPPED by 1.30 [1.20..1.50].", verdict.reasons().get(1));
        assertTrue(
            verdict.table().contains(
                "FILE_CHANNEL              1.30 [1.20..1.50] 1.00 [1.00..1.00] 1.00 [1.00..1.00]"),
            verdict.table().toString());
    }

    @Test
    void withoutARateOneThatIsBehindByAQuarterInReplayOrBurstsIsNotRecommended()
    {
        set(CHANNEL, Figure.FORCED, 2);
        for (final Figure figure : List.of(Figure.REPLAY, Figure.BURST))
        {
            set(CHANNEL, List.of(Figure.REPLAY, Figure.BURST), 1);
            set(CHANNEL, List.of(figure), 0.56);

            final Verdict verdict = evaluate(Requirement.Durability.POWER);

            assertEquals(MAPPED, verdict.recommended());
            assertEquals(List.of(PLAIN, BATCHING), verdict.ties());
            assertTrue(
                verdict.reasons().get(1).startsWith("FILE_CHANNEL is ahead by 2.00 [2.00..2.00], but "),
                verdict.reasons().toString());
        }
    }

    @Test
    void oneRoundBehindIsNotSignificant()
    {
        set(CHANNEL, Figure.FORCED, 3, 3, 0.99, 3, 3, 3, 3);

        final Verdict verdict = evaluate(Requirement.Durability.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(CHANNEL, PLAIN, BATCHING), verdict.ties());
    }

    @Test
    void lessThanAQuarterIsNotRelevant()
    {
        set(CHANNEL, Figure.FORCED, 1.02, 1.24, 1.24, 1.24, 1.24, 1.24, 1.6);
        assertEquals(MAPPED, evaluate(Requirement.Durability.POWER).recommended());

        set(CHANNEL, Figure.FORCED, 1.26);
        assertEquals(CHANNEL, evaluate(Requirement.Durability.POWER).recommended());
    }

    @Test
    void fewRoundsAreNeverSignificant()
    {
        rounds = Interval.MIN_COUNT - 1;
        set(CHANNEL, Figure.FORCED, 5, 5, 5, 5, 5, 5);

        for (final long rate : new long[]{ Requirement.UNKNOWN_RATE, 1, 1000 })
        {
            final Verdict verdict = evaluate(Requirement.Durability.POWER, rate);

            assertEquals(MAPPED, verdict.recommended());
            // Nothing was compared, so there are no ties.
            assertEquals(List.of(), verdict.ties());
            assertEquals(List.of(CHANNEL, PLAIN, BATCHING), verdict.untried());
            assertTrue(verdict.reasons().get(0).startsWith("Too few rounds"), verdict.reasons().get(0));
            assertEquals(List.of(), verdict.table());
        }
    }

    @Test
    void slowerDefaultIsNotRecommendedForBeingFirst()
    {
        set(MAPPED, Figure.FORCED, 0.5, 0.6, 0.5, 0.6, 0.5, 0.5, 0.5);

        final Verdict verdict = evaluate(Requirement.Durability.POWER);

        assertEquals(CHANNEL, verdict.recommended());
        assertEquals(List.of(PLAIN, BATCHING), verdict.ties());
    }

    @Test
    void secondaryFiguresDoNotRescueALoser()
    {
        set(BATCHING, Figure.FORCED, 0.5);
        set(BATCHING, UNFORCED, 9);

        final Verdict verdict = evaluate(Requirement.Durability.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(CHANNEL, PLAIN), verdict.ties());
    }

    @Test
    void withoutARateTheRecommendedForcePolicyDecides()
    {
        set(CHANNEL, List.of(Figure.FORCED_16, Figure.FORCED_256), 9);
        assertEquals(MAPPED, evaluate(Requirement.Durability.POWER).recommended());

        set(CHANNEL, List.of(Figure.FORCED_1), 2);
        set(CHANNEL, List.of(Figure.FORCED_16, Figure.FORCED_256), 0.5);
        assertEquals(CHANNEL, evaluate(Requirement.Durability.POWER).recommended());
    }

    @Test
    void withoutARateOneThatIsLaterIsNotRecommended()
    {
        set(CHANNEL, Figure.FORCED, 2);
        set(CHANNEL, List.of(Figure.FORCE_P99), 1.3);

        final Verdict verdict = evaluate(Requirement.Durability.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertTrue(verdict.reasons().get(1).contains("99th percentile"), verdict.reasons().toString());
    }

    @Test
    void amongThoseThatMeetTheRequirementTheDefaultStaysUnlessItsTailIsFarWorse()
    {
        set(BATCHING, List.of(Figure.FORCE_P99), 0.85, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5);
        assertEquals(MAPPED, evaluate(Requirement.Durability.POWER, 192).recommended());

        set(BATCHING, List.of(Figure.FORCE_P99), 0.5);
        final Verdict verdict = evaluate(Requirement.Durability.POWER, 192);
        assertEquals(BATCHING, verdict.recommended());
        assertEquals(
            List.of("MAPPED, the default, sustains the rate, and so does FILE_CHANNEL 64 KiB, whose 99th percentile " +
                "of an fsynced append is 0.50 [0.50..0.50] of the default's."),
            verdict.reasons());

        set(BATCHING, List.of(Figure.REPLAY), 0.56);
        assertEquals(MAPPED, evaluate(Requirement.Durability.POWER, 192).recommended());
    }

    @Test
    void backendThatMeetsTheRequirementWithAnFsyncPerRecordIsPreferredToGroups()
    {
        // The default sustains 2,000 records/s neither singly nor in groups.
        set(PLAIN, List.of(Figure.FORCED_256), 9);
        set(BATCHING, List.of(Figure.FORCED_1), 9);

        assertEquals(BATCHING, evaluate(Requirement.Durability.POWER, 1000).recommended());
    }

    @Test
    void appendsWithoutForceDecideWhereOnlyTheProcessMayEnd()
    {
        set(CHANNEL, Figure.FORCED, 3);
        set(PLAIN, UNFORCED, 1.5);

        assertEquals(PLAIN, evaluate(Requirement.Durability.PROCESS).recommended());
        assertEquals(CHANNEL, evaluate(Requirement.Durability.POWER).recommended());
    }

    @Test
    void tableFitsATerminal()
    {
        set(PLAIN, Figure.FORCED, 1.3);
        for (final long rate : new long[]{ Requirement.UNKNOWN_RATE, 1, 400, Integer.MAX_VALUE })
        {
            evaluate(Requirement.Durability.POWER, rate).table()
                .forEach((line) -> assertTrue(line.length() < 80, line));
        }
    }

    @Test
    void missingFigureIsRejected()
    {
        final Measurements measurements = new Measurements();
        final Map<Figure, Double> figures = SimulatedTrials.figures(1);
        measurements.add(Map.of(MAPPED, figures));

        for (final double value : new double[]{ 0, -1, Double.NaN, Double.POSITIVE_INFINITY })
        {
            figures.put(Figure.REPLAY, value);
            assertThrows(IllegalArgumentException.class, () -> measurements.add(Map.of(CHANNEL, figures)));
        }
        figures.remove(Figure.REPLAY);
        assertThrows(IllegalArgumentException.class, () -> measurements.add(Map.of(CHANNEL, figures)));
    }

    /** How much better a case is than the others, round by round, or in all of them. */
    private void set(final BackendConfig measured, final List<Figure> figures, final double... values)
    {
        figures.forEach(
            (figure) -> factors.computeIfAbsent(measured, (key) -> new EnumMap<>(Figure.class)).put(figure, values));
    }

    private Verdict evaluate(final Requirement.Durability survive)
    {
        return evaluate(survive, Requirement.UNKNOWN_RATE);
    }

    private Verdict evaluate(final Requirement.Durability durability, final long rate)
    {
        final Measurements measurements = new Measurements();
        for (int i = 0; i < rounds; i++)
        {
            final Map<BackendConfig, Map<Figure, Double>> round = new LinkedHashMap<>();
            for (final BackendConfig each : CASES)
            {
                final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
                for (final Figure figure : Figure.values())
                {
                    final double[] values = factors.getOrDefault(each, Map.of()).get(figure);
                    // The machine is slower in some rounds than in others.
                    figures.put(figure, 1000.0 / (1 + 0.05 * i) * (null == values ? 1 : values[i % values.length]));
                }
                round.put(each, figures);
            }
            measurements.add(round);
        }

        return Verdict.of(CASES, List.of(), measurements, measurements, new Requirement(durability, 256, rate));
    }
}
