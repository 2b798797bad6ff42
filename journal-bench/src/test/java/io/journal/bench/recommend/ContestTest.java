package io.journal.bench.recommend;

import java.util.ArrayList;
import java.util.List;

import io.journal.bench.journal.Case;
import io.journal.store.Backend;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The whole decision, on a machine that is simulated: how often it errs, and how often it finds what is there.
 */
class ContestTest
{
    private static final List<Case> CASES = Case.all(256);
    private static final Case DEFAULT = CASES.get(0);
    private static final Case BETTER = new Case(Backend.FILE_CHANNEL, 64 * 1024);
    private static final Case WORSE = new Case(Backend.RANDOM_ACCESS_FILE, 0);
    private static final int RUNS = 300;

    private final List<List<Case>> measured = new ArrayList<>();
    private final List<Integer> rounds = new ArrayList<>();

    @ParameterizedTest
    @CsvSource({ "0.15,100", "0.4,100", "0.15,30", "0.4,30" })
    void ofEqualCasesHardlyEverAnotherThanTheDefaultIsNamed(final double noise, final int seconds) throws Exception
    {
        int others = 0;
        for (int seed = 0; seed < RUNS; seed++)
        {
            others += DEFAULT.equals(run(new SimulatedLaboratory(seed, noise), seconds).recommended()) ? 0 : 1;
        }

        assertTrue(others <= 0.05 * RUNS, "others=" + others);
    }

    @ParameterizedTest
    @CsvSource({ "1.05", "1.1", "1.2" })
    void whatIsCloseIsNotNamedInOneRunAndRuledOutInAnother(final double factor) throws Exception
    {
        int named = 0;
        int ruledOut = 0;
        for (int seed = 0; seed < RUNS; seed++)
        {
            final Verdict verdict =
                run(new SimulatedLaboratory(seed, 0.15).with(BETTER, Figure.FORCED, factor), 100);
            named += verdict.recommended().equals(BETTER) ? 1 : 0;
            final boolean isThere = verdict.recommended().equals(BETTER) || verdict.ties().contains(BETTER) ||
                verdict.untried().contains(BETTER);
            ruledOut += isThere ? 0 : 1;
        }

        assertTrue(ruledOut <= 0.02 * RUNS, "named=" + named + ", ruled out=" + ruledOut);
    }

    @Test
    void whatIsClearlyBetterIsNamed() throws Exception
    {
        int named = 0;
        for (int seed = 0; seed < RUNS; seed++)
        {
            final SimulatedLaboratory laboratory =
                new SimulatedLaboratory(seed, 0.15).with(BETTER, Figure.FORCED, 1.5);
            named += run(laboratory, 100).recommended().equals(BETTER) ? 1 : 0;
        }

        assertTrue(named >= 0.8 * RUNS, "named=" + named);
    }

    @Test
    void onlyTheLeadersAreMeasuredAgainAndTheDefaultIsAlwaysOneOfThem() throws Exception
    {
        final SimulatedLaboratory laboratory = new SimulatedLaboratory(1, 0.01)
            .with(BETTER, Figure.FORCED, 2)
            .with(WORSE, Figure.FORCED, 0.5);

        final Contest contest = contest(laboratory);
        final Verdict verdict = contest.run(CASES, 3, Comparison.MIN_ROUNDS, 100);

        assertEquals(2, measured.size());
        assertEquals(CASES, measured.get(0));
        assertEquals(contest.finalists(), measured.get(1));
        assertTrue(contest.finalists().containsAll(List.of(DEFAULT, BETTER)), contest.finalists().toString());
        assertFalse(contest.finalists().contains(WORSE));
        assertEquals(BETTER, verdict.recommended());
        assertTrue(
            contest.excluded().stream().anyMatch((line) -> line.contains("ahead of RANDOM_ACCESS_FILE in all")),
            contest.excluded().toString());
    }

    @Test
    void oneRoundExcludesNobody() throws Exception
    {
        final SimulatedLaboratory laboratory =
            new SimulatedLaboratory(1, 0.01).with(WORSE, Figure.FORCED, 0.1);

        final Contest contest = contest(laboratory);
        final Verdict verdict = contest.run(CASES, 1, Comparison.MIN_ROUNDS, 30);

        assertEquals(List.of(), contest.excluded());
        assertTrue(verdict.untried().contains(WORSE), verdict.untried().toString());
    }

    @Test
    void thereAreMoreRoundsWhereThereIsTimeAndFewerWhereThereIsNone() throws Exception
    {
        contest(new SimulatedLaboratory(1, 0.1)).run(CASES, 3, Comparison.MIN_ROUNDS, 1000);
        assertEquals(25, rounds.get(1));

        final Verdict verdict = contest(new SimulatedLaboratory(1, 0.1)).run(CASES, 1, Comparison.MIN_ROUNDS, 10);
        assertTrue(rounds.get(3) < Comparison.MIN_ROUNDS, rounds.toString());
        assertTrue(verdict.reasons().get(0).contains("too few rounds"), verdict.reasons().toString());
    }

    private Verdict run(final SimulatedLaboratory laboratory, final int seconds) throws Exception
    {
        final boolean isShort = seconds < Study.ENOUGH_SECONDS;
        // As a study does it.
        return new Contest(Survive.POWER, laboratory, laboratory::timeNs)
            .run(CASES, isShort ? 1 : 3, Comparison.MIN_ROUNDS, isShort ? seconds : Study.CONTEST_SHARE * seconds);
    }

    private Contest contest(final SimulatedLaboratory laboratory)
    {
        return new Contest(Survive.POWER, (cases, count) ->
        {
            measured.add(cases);
            rounds.add(count);
            return laboratory.measure(cases, count);
        }, laboratory::timeNs);
    }
}
