package io.journal.bench.report;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import io.journal.bench.report.Judgement.Verdict;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class JudgeTest
{
    private static final int ROUNDS = 5;

    static List<Claim> all() throws IOException
    {
        return Claim.all();
    }

    @ParameterizedTest
    @MethodSource("all")
    void aClaimHoldsIfAllRoundsSaySo(final Claim claim)
    {
        final Judgement judgement = judge(claim, holding(claim), holding(claim));

        assertEquals(Verdict.HOLDS, judgement.verdict(), judgement.toString());
        assertTrue(judgement.findings().get(0).words().contains("holds here, by "), judgement.toString());
    }

    @ParameterizedTest
    @MethodSource("all")
    void aClaimDoesNotHoldIfNoRoundSaysSo(final Claim claim)
    {
        final Judgement judgement = judge(claim, failing(claim), failing(claim));

        assertEquals(Verdict.FAILS, judgement.verdict(), judgement.toString());
        assertTrue(judgement.findings().get(0).words().contains("does not hold here: "), judgement.toString());
    }

    @ParameterizedTest
    @MethodSource("all")
    void aClaimCannotBeToldIfRoundsDisagree(final Claim claim)
    {
        final Judgement judgement = judge(claim, holding(claim), failing(claim));

        assertEquals(Verdict.OPEN, judgement.verdict(), judgement.toString());
        assertTrue(judgement.findings().get(0).words().contains("on both sides"), judgement.toString());
    }

    @ParameterizedTest
    @MethodSource("all")
    void whatWasNotRunIsNamedWithItsCommand(final Claim claim)
    {
        final ResultFile other = run("other", claim.profiles().get(0), List.of());

        final Judgement judgement = new Judge(List.of(other)).judge(claim);

        assertEquals(Verdict.NOT_RUN, judgement.verdict());
        assertTrue(claim.command().startsWith(claim.experiment()), claim.command());
    }

    @Test
    void aClaimCanHoldForOneLengthAndNotForAnother()
    {
        final Claim claim = claim(0, 0);
        final List<Measured> cases = List.of(
            measured(Map.of("way", "A", "length", "1"), 2, 2, 2), measured(Map.of("way", "B", "length", "1"), 1, 1, 1),
            measured(Map.of("way", "A", "length", "2"), 1, 1, 1), measured(Map.of("way", "B", "length", "2"), 2, 2, 2));

        final Judgement judgement = new Judge(List.of(run("e", "fair", cases))).judge(claim);

        assertEquals(Verdict.MIXED, judgement.verdict());
        assertEquals(
            List.of("file of 1 B: holds here, by 2x [2..2]", "file of 2 B: does not hold here: 0.500x [0.500..0.500]"),
            judgement.findings().stream().map(Judgement.Finding::words).toList());
    }

    @Test
    void twoRoundsTellNothing()
    {
        final List<Measured> cases = List.of(measured(Map.of("way", "A"), 2, 2), measured(Map.of("way", "B"), 1, 1));

        final Judgement judgement = new Judge(List.of(run("e", "fair", cases))).judge(claim(0, 0));

        assertEquals(Verdict.OPEN, judgement.verdict());
        assertEquals("cannot be told: 2x [2..2]; of 2 rounds, too few", judgement.summary());
    }

    @Test
    void nothingIsDividedByZero()
    {
        final List<Measured> cases =
            List.of(measured(Map.of("way", "A"), 2, 2, 2), measured(Map.of("way", "B"), 0, 0, 0));

        final Judgement judgement = new Judge(List.of(run("e", "fair", cases))).judge(claim(0, 0));

        assertEquals(
            "cannot be told: no round has all that is compared, other than zero", judgement.summary());
    }

    @Test
    void theBetterProfileIsAskedFirst()
    {
        final List<Measured> cases =
            List.of(measured(Map.of("way", "A"), 2, 2, 2), measured(Map.of("way", "B"), 1, 1, 1));

        final Judgement judgement =
            new Judge(List.of(run("e", "durable", cases), run("e", "fair", cases))).judge(claim(0, 0));

        assertEquals("fair", judgement.run().profile());
    }

    private static Claim claim(final double atLeast, final double atMost)
    {
        return new Claim(
            "X1", "A is faster than B.", "e", List.of("fair", "durable"), "e", List.of(Charts.WRITE), null,
            Map.of("way", List.of("A")), null, Map.of("way", List.of("B")), null, List.of("length"),
            0 == atLeast ? 1 : atLeast, atMost, false);
    }

    /** A ratio with which a claim holds. */
    private static double holding(final Claim claim)
    {
        return 0 == claim.atLeast() ? 0.8 * claim.atMost() :
            claim.atMost() < Double.MAX_VALUE ? (claim.atLeast() + claim.atMost()) / 2 :
                claim.atLeast() < 1 ? (claim.atLeast() + 1) / 2 : 1.5 * claim.atLeast();
    }

    /** A ratio with which it does not. */
    private static double failing(final Claim claim)
    {
        return 0 == claim.atLeast() ? 1.5 * claim.atMost() : claim.atLeast() > 1 ? 0.97 : 0.6 * claim.atLeast();
    }

    /**
     * Judges two cases, whose ratio is now the one, now the other.
     */
    private static Judgement judge(final Claim claim, final double ratio, final double other)
    {
        final Map<String, String> of = parameters(claim, claim.of(), 0);
        final Map<String, String> to = parameters(claim, claim.to(), 1);
        final boolean isFirst = "first".equals(claim.take());
        final SortedMap<Integer, Map<String, String>> ofRounds = new TreeMap<>();
        final SortedMap<Integer, Map<String, String>> toRounds = new TreeMap<>();
        for (int round = 1; round <= ROUNDS; round++)
        {
            final double wanted = 0 == round % 2 ? ratio : other;
            final Map<String, String> ofValues = new HashMap<>();
            final Map<String, String> toValues = new HashMap<>();
            for (final String key : claim.keys())
            {
                final double factor = Unit.of(key).isMoreBetter() ? wanted : 1 / wanted;
                // Of one case whose first round is compared with its others, those are what varies.
                ofValues.put(key, Double.toString(isFirst ? 1 == round ? 100 : 100 / factor : 100 * factor));
                toValues.put(key, "100");
            }
            ofRounds.put(round, ofValues);
            toRounds.put(round, toValues);
        }

        final List<Measured> cases = new ArrayList<>(List.of(new Measured("of", of, ofRounds)));
        if (!isFirst)
        {
            cases.add(new Measured("to", to, toRounds));
        }
        return new Judge(List.of(run(claim.experiment(), claim.profiles().get(0), cases))).judge(claim);
    }

    /**
     * Of a case that a claim is about: where several will do, another one for each place.
     */
    private static Map<String, String> parameters(
        final Claim claim, final Map<String, List<String>> selected, final int place)
    {
        final Map<String, String> parameters = new LinkedHashMap<>();
        for (final Map<String, List<String>> each : List.of(claim.where(), selected))
        {
            each.forEach((name, values) -> parameters.put(name, values.get(0).startsWith("!") ?
                List.of("16384", "65536").get(place) : values.get(Math.min(place, values.size() - 1))));
        }
        // What both are about is one thing.
        claim.where().keySet().stream().filter((name) -> !selected.containsKey(name)).forEach(
            (name) -> parameters.put(name, claim.where().get(name).get(0).startsWith("!") ? "other" :
                claim.where().get(name).get(0)));
        return parameters;
    }

    private static Measured measured(final Map<String, String> parameters, final double... rates)
    {
        final SortedMap<Integer, Map<String, String>> rounds = new TreeMap<>();
        for (int i = 0; i < rates.length; i++)
        {
            rounds.put(i + 1, Map.of(Charts.WRITE, Double.toString(rates[i])));
        }

        return new Measured(parameters.toString(), parameters, rounds);
    }

    private static ResultFile run(final String experiment, final String profile, final List<Measured> cases)
    {
        return new ResultFile(
            "raw", Path.of("raw.jsonl"), 2, experiment, profile, 1, experiment, "", Map.of(), cases);
    }
}
