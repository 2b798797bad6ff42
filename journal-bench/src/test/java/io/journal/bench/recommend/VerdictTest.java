package io.journal.bench.recommend;

import java.util.EnumMap;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.journal.bench.journal.Case;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class VerdictTest
{
    private static final Case MAPPED = new Case(Backend.MAPPED, 0);
    private static final Case CHANNEL = new Case(Backend.FILE_CHANNEL, 0);
    private static final Case PLAIN = new Case(Backend.RANDOM_ACCESS_FILE, 0);
    private static final Case BATCHING = new Case(Backend.FILE_CHANNEL, 64 * 1024);
    private static final List<Case> CASES = List.of(MAPPED, CHANNEL, PLAIN, BATCHING);
    private static final List<Figure> UNFORCED = List.of(Figure.APPEND, Figure.BURST);

    private final Map<Case, Map<Figure, double[]>> factors = new HashMap<>();
    private int rounds = Comparison.MIN_ROUNDS;

    @Test
    void amongEqualsTheDefaultIsRecommendedAndTheOthersAreNamed()
    {
        final Verdict verdict = judge(Survive.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(CHANNEL, PLAIN, BATCHING), verdict.ties());
        final List<String> reasons = verdict.reasons();
        assertEquals(10, reasons.size());
        reasons.subList(0, 9).forEach((reason) -> assertTrue(reason.contains("is within a quarter of"), reason));
        assertTrue(reasons.get(9).contains("first of those in order"), reasons.get(9));
    }

    @Test
    void whoIsAheadInEveryRoundIsRecommended()
    {
        set(CHANNEL, Figure.FORCED, 1.3, 1.5, 1.2, 1.4, 1.3, 1.2, 1.4);

        final Verdict verdict = judge(Survive.POWER);

        assertEquals(CHANNEL, verdict.recommended());
        assertEquals(List.of(), verdict.ties());
        assertEquals(
            "forced appends: FILE_CHANNEL is ahead of MAPPED, by a factor of 1.30 [1.20..1.50]",
            verdict.reasons().get(0));
    }

    @Test
    void oneRoundBehindIsNoMeaningfulDifference()
    {
        set(CHANNEL, Figure.FORCED, 3, 3, 0.99, 3, 3, 3, 3);

        final Verdict verdict = judge(Survive.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(CHANNEL, PLAIN, BATCHING), verdict.ties());
    }

    @Test
    void lessThanAQuarterIsNoMeaningfulDifference()
    {
        set(CHANNEL, Figure.FORCED, 1.02, 1.24, 1.24, 1.24, 1.24, 1.24, 1.6);

        final Verdict slight = judge(Survive.POWER);
        assertEquals(MAPPED, slight.recommended());
        assertTrue(
            slight.reasons().stream().anyMatch((reason) -> reason.contains("is ahead by less than matters of MAPPED")),
            slight.reasons()::toString);

        set(CHANNEL, Figure.FORCED, 1.26);

        assertEquals(CHANNEL, judge(Survive.POWER).recommended());
    }

    @Test
    void fewRoundsSeparateNothing()
    {
        rounds = Comparison.MIN_ROUNDS - 1;
        set(CHANNEL, Figure.FORCED, 5, 5, 5, 5, 5, 5);

        final Verdict verdict = judge(Survive.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertTrue(verdict.reasons().get(0).contains("too few rounds"), verdict.reasons().get(0));
    }

    @Test
    void aLosingDefaultIsNotRecommendedForBeingFirst()
    {
        set(MAPPED, Figure.FORCED, 0.5, 0.6, 0.5, 0.6, 0.5, 0.5, 0.5);

        final Verdict verdict = judge(Survive.POWER);

        assertEquals(CHANNEL, verdict.recommended());
        assertEquals(List.of(PLAIN, BATCHING), verdict.ties());
    }

    @Test
    void figuresOfLessWeightDecideAmongEquals()
    {
        set(CHANNEL, Figure.FORCED, 1.05);
        set(BATCHING, UNFORCED, 2);

        final Verdict verdict = judge(Survive.POWER);

        assertEquals(BATCHING, verdict.recommended());
        // What matters most did not decide, and that is said.
        assertEquals(List.of(MAPPED, CHANNEL, PLAIN), verdict.ties());
    }

    @Test
    void figuresOfLessWeightDoNotRescueALoser()
    {
        set(BATCHING, Figure.FORCED, 0.5);
        set(BATCHING, UNFORCED, 9);

        final Verdict verdict = judge(Survive.POWER);

        assertEquals(MAPPED, verdict.recommended());
        assertEquals(List.of(CHANNEL, PLAIN), verdict.ties());
    }

    @Test
    void gainsAndLossesInFiguresOfEqualWeightCancelOut()
    {
        set(CHANNEL, List.of(Figure.FORCED_1), 2);
        set(CHANNEL, List.of(Figure.FORCED_256), 0.5);

        assertEquals(MAPPED, judge(Survive.POWER).recommended());
    }

    @Test
    void appendsWithoutForceDecideWhereOnlyTheProcessMayEnd()
    {
        set(CHANNEL, Figure.FORCED, 3);
        set(PLAIN, UNFORCED, 1.5);

        assertEquals(PLAIN, judge(Survive.PROCESS).recommended());
        assertEquals(CHANNEL, judge(Survive.POWER).recommended());
    }

    @Test
    void aFigureThatWasNotMeasuredIsRefused()
    {
        final Measurements measurements = new Measurements();
        final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
        for (final Figure figure : Figure.values())
        {
            figures.put(figure, 1.0);
        }
        measurements.add(Map.of(MAPPED, figures));

        for (final double value : new double[]{ 0, -1, Double.NaN, Double.POSITIVE_INFINITY })
        {
            figures.put(Figure.REPLAY, value);
            assertThrows(IllegalArgumentException.class, () -> measurements.add(Map.of(CHANNEL, figures)));
        }
        figures.remove(Figure.REPLAY);
        assertThrows(IllegalArgumentException.class, () -> measurements.add(Map.of(CHANNEL, figures)));
    }

    /**
     * How much better a case is than the others, round by round, or in all of them.
     */
    private void set(final Case measured, final List<Figure> figures, final double... values)
    {
        figures.forEach(
            (figure) -> factors.computeIfAbsent(measured, (key) -> new EnumMap<>(Figure.class)).put(figure, values));
    }

    private Verdict judge(final Survive survive)
    {
        final Measurements measurements = new Measurements();
        for (int i = 0; i < rounds; i++)
        {
            final Map<Case, Map<Figure, Double>> round = new LinkedHashMap<>();
            for (final Case each : CASES)
            {
                final Map<Figure, Double> figures = new EnumMap<>(Figure.class);
                for (final Figure figure : Figure.values())
                {
                    final double[] values = factors.getOrDefault(each, Map.of()).get(figure);
                    // The machine is slower in some rounds than in others.
                    figures.put(figure, 1000.0 / (1 + i) * (null == values ? 1 : values[i % values.length]));
                }
                round.put(each, figures);
            }
            measurements.add(round);
        }

        return Verdict.of(CASES, List.of(), measurements, survive);
    }
}
